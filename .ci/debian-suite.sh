# Sourced by the install scripts beside it: packages of another Debian suite, downloaded with lists and caches of their own. Neither
# the system's packages nor its list of sources change. The address of the archive is the one that this machine already uses.
# The script has to define give_up, which says what to do instead, and exits.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Where this machine gets Debian from. A fresh machine has no lists yet, and without them nobody knows which archive is Debian's.
debian_archive() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F '|' '$1 == "Debian" && $2 == "Debian" && !seen++ { print $3 }'
}

# usage: open_suite_with <package> <oldest version> <suite>...
# Makes the folder $work, which goes when the script ends, and reads the lists of the suites, one after the other, up to the first that
# has the package in that version or a newer one. Sets $suite. Suites come and go, and packages move between them and are removed.
open_suite_with() {
  local package=$1 oldest=$2 archive version tried=()
  shift 2
  [[ $(id -u) == 0 ]] || give_up 'This needs root.'
  command -v apt-get >/dev/null || give_up 'This machine has no apt-get.'
  [[ -r $keyring ]] || give_up "The keys of Debian's archive are not in $keyring."
  archive=$(debian_archive)
  if [[ -z $archive ]]; then
    # Another source that cannot be reached is no reason to stop.
    apt-get -qq update || true
    archive=$(debian_archive)
  fi
  [[ -n $archive ]] || give_up "No archive of Debian is among this machine's package sources."

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for suite in "$@"; do
    rm -rf "$work/lists"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/download"
    # apt fetches as this user, where it exists.
    chmod 755 "$work"
    if id _apt >/dev/null 2>&1; then chown -R _apt "$work"; fi
    echo "deb [signed-by=$keyring] $archive $suite main" >"$work/sources.list"
    if ! of_suite apt-get -qq update; then
      tried+=("$suite cannot be read")
      continue
    fi
    version=$(of_suite apt-cache policy "$package" | sed -n 's/^ *Candidate: \([^(].*\)/\1/p')
    if [[ -n $version ]] && dpkg --compare-versions "$version" ge "$oldest"; then
      echo "Debian $suite has $package $version."
      return
    fi
    tried+=("$suite has ${version:-none}")
  done
  give_up "No suite of Debian has $package $oldest or newer ($(printf '%s; ' "${tried[@]}")archive $archive)."
}

# usage: of_suite <apt command>...
# Runs it on the suite alone, as if nothing were installed.
of_suite() {
  local command=$1
  shift
  "$command" \
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::State::Status=/dev/null -o Dir::Cache="$work/cache" \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}
