# Sourced by the install scripts beside it: packages of another Debian suite, downloaded with lists and caches of their own. Neither
# the system's packages nor its list of sources change. The address of the archive is the one that this machine already uses.
# The script has to define give_up, which says what to do instead, and exits.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Where this machine gets Debian from. A fresh machine has no lists yet, and without them nobody knows which archive is Debian's.
debian_archive() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F '|' '$1 == "Debian" && $2 == "Debian" && !seen++ { print $3 }'
}

# usage: open_suite <suite>
# Makes the folder $work, which goes when the script ends, and reads the suite's list of packages.
open_suite() {
  [[ $(id -u) == 0 ]] || give_up 'This needs root.'
  command -v apt-get >/dev/null || give_up 'This machine has no apt-get.'
  [[ -r $keyring ]] || give_up "The keys of Debian's archive are not in $keyring."

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/download"
  # apt fetches as this user, where it exists.
  chmod 755 "$work"
  if id _apt >/dev/null 2>&1; then chown -R _apt "$work"; fi

  local archive
  archive=$(debian_archive)
  if [[ -z $archive ]]; then
    # Another source that cannot be reached is no reason to stop.
    apt-get -qq update || true
    archive=$(debian_archive)
  fi
  [[ -n $archive ]] || give_up "No archive of Debian is among this machine's package sources."

  echo "deb [signed-by=$keyring] $archive $1 main" >"$work/sources.list"
  apt_of_suite update
}

apt_of_suite() {
  apt-get -qq \
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}
