#!/bin/bash
# A real `systemd --user` of a user without privileges, in namespaces of its own; as root:
#   unshare -m -p -f --mount-proc bash user_manager.sh UID HOME KEEP COMMAND...
# HOME is made on a tmpfs in /srv. KEEP is a directory that the user must be
# able to read (the interpreter's): where it lies in somebody's closed home, that home is covered and KEEP put back.
# Needs systemd and dbus-daemon; exits with COMMAND's status, with 99 where the manager does not start.
set -e
umask 022
uid=$1 home=$2 keep=$3
shift 3

if ! setpriv --reuid "$uid" --regid "$uid" --clear-groups test -x "$keep/bin"; then
  mkdir -p /run/kept && mount --bind "$keep" /run/kept
  closed=/
  IFS=/ read -ra parts <<<"${keep#/}"
  for part in "${parts[@]}"; do
    closed=${closed%/}/$part
    setpriv --reuid "$uid" --regid "$uid" --clear-groups test -x "$closed" || break
  done
  mount -t tmpfs -o mode=755 tmpfs "$closed"
  mkdir -p "$keep" && mount --move /run/kept "$keep"
fi
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir -p "$home" && chown "$uid:$uid" "$home" && chmod 700 "$home"
mount -t tmpfs -o mode=755 tmpfs /run
# A booted machine has unit-root: systemd builds the view of a confined unit there and cannot make it as a user. Without it
# (NO_NAMESPACES=1) a confined unit fails with 226, as on a machine that forbids user namespaces.
mkdir -p /run/systemd/system "/run/user/$uid"
[ -n "$NO_NAMESPACES" ] || mkdir -m 700 /run/systemd/unit-root
chown "$uid:$uid" "/run/user/$uid" && chmod 700 "/run/user/$uid"
umount -R /sys/fs/cgroup 2>/dev/null || umount -l /sys/fs/cgroup || true
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
group=/sys/fs/cgroup/dreamd-test-$RANDOM$RANDOM
mkdir -p "$group/user" && echo $$ > "$group/user/cgroup.procs"
chown -R "$uid:$uid" "$group"
# Control groups outlive these namespaces: this one goes with everything in it.
leave() {
  echo $$ >/sys/fs/cgroup/cgroup.procs
  echo 1 >"$group/cgroup.kill"
  for _ in $(seq 20); do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    sleep .1
  done
}
trap leave EXIT

as_user() {
  env -i HOME="$home" USER=tester LOGNAME=tester PATH="${FIRST_PATH:+$FIRST_PATH:}/usr/bin:/bin" LANG=C.UTF-8 TZ=UTC \
    XDG_RUNTIME_DIR="/run/user/$uid" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$uid/bus" SYSTEMD_LOG_TARGET=console \
    setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}
cd "$home"
as_user dbus-daemon --session --address="unix:path=/run/user/$uid/bus" --fork --nopidfile
as_user setsid /lib/systemd/systemd --user --unit=default.target > "/run/manager.log" 2>&1 &
manager=$!
for _ in $(seq 50); do
  state=$(as_user systemctl --user is-system-running 2>/dev/null || true)
  case "$state" in running | degraded) break ;; esac
  sleep .2
done
case "$state" in
  running | degraded) ;;
  *) echo "systemd --user did not start: $state" >&2; tail -20 /run/manager.log >&2; exit 99 ;;
esac
rc=0
as_user "$@" || rc=$?
as_user systemctl --user stop dreamd.service 2>/dev/null || true # it takes its private /tmp with it
kill "$manager" && wait "$manager" 2>/dev/null || true
if [ "$rc" != 0 ]; then tail -60 /run/manager.log >&2; fi
exit $rc
