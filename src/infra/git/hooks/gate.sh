# Asks the server about a push, over descriptor 3, which receive-pack inherited from it (receive-pack.ts reads the other end).
# Everything is ended by NUL, which neither the environment nor a ref name can contain, so no value can pose as another.
# Whatever goes wrong, no descriptor, no answer, a broken answer, ends in exit 1: the push is refused.
{
  printf '%s\000' "$hook" "${GIT_OBJECT_DIRECTORY-}" "${GIT_ALTERNATE_OBJECT_DIRECTORIES-}" "${GIT_PUSH_OPTION_COUNT:-0}"
  option=0
  while [ "$option" -lt "${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "printf '%s\\000' \"\${GIT_PUSH_OPTION_$option-}\""
    option=$((option + 1))
  done
  # The changes. For proc-receive they are known.
  [ "$hook" != pre-receive ] || cat
  printf '\000'
} >&3 || exit 1

# A line that begins with a colon is for the pusher; the others are the verdict. A report goes to receive-pack: a short one is in the
# line, of a long one the line has the number of bytes.
while IFS= read -r line <&3; do
  case $line in
    :*) printf '%s\n' "${line#:}" >&2 ;;
    accept) exit 0 ;;
    print\ *)
      printf '%s' "${line#print }"
      exit
      ;;
    report\ *)
      head -c "${line#report }" <&3
      exit
      ;;
    *) exit 1 ;;
  esac
done
exit 1
