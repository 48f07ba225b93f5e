"""Sample sessions of a made-up person, and the stage they are put on."""
