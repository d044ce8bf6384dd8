#!/usr/bin/env bash
# Builds the image of deploy/Dockerfile and tries it: started with a read-only root and no capabilities, it answers, takes a push, passes
# its check, and ends with status 0. Needs buildah and podman, and ends with a sentence and status 0 where one is missing.
#
#   deploy/try-image.sh [BASE]     BASE: the image to build upon, instead of the one that the Dockerfile names
#
# Set BUILDAH_ISOLATION=chroot and PODMAN="podman --runtime runc …" where containers may do less.
set -euo pipefail
cd "$(dirname "$0")/.."

podman=(${PODMAN:-podman})
buildah=(${BUILDAH:-buildah})
for tool in "${buildah[0]}" "${podman[0]}"; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 0; }
done

port=${PORT:-18080}
name=fennec-try-$$
folder=$(mktemp -d)
cleanup() {
  "${podman[@]}" rm --force --volumes "$name" >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap cleanup EXIT

npm pack --loglevel=error --pack-destination "$folder" >/dev/null
base=()
[ $# -eq 0 ] || base=(--build-arg "BASE=$1")
"${buildah[@]}" build --format docker "${base[@]}" --file deploy/Dockerfile --tag "localhost/$name" "$folder"

"${podman[@]}" run --detach --name "$name" --no-healthcheck --network host --read-only --read-only-tmpfs=false --tmpfs /tmp \
  --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --cap-drop all --security-opt no-new-privileges \
  --env "FENNEC_LISTEN=127.0.0.1:$port" "localhost/$name" >/dev/null
url=http://127.0.0.1:$port
for _ in $(seq 120); do
  curl --silent --fail --output /dev/null "$url/-/readiness" && break
  sleep 0.5
done
curl --silent --show-error --fail "$url/-/readiness" && echo

token=$("${podman[@]}" exec "$name" cat /data/root-token)
curl --silent --show-error --fail --output /dev/null --header "PRIVATE-TOKEN: $token" --data name=demo "$url/api/v4/projects"
git init --quiet --initial-branch=main "$folder/demo"
git -C "$folder/demo" -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty --message=First
git -C "$folder/demo" push --quiet "http://root:$token@127.0.0.1:$port/root/demo.git" main
echo 'a push was taken'

[ "$("${podman[@]}" exec "$name" id --user)" = 10001 ] && echo 'the server is user 10001'
"${podman[@]}" exec "$name" fennec check
"${podman[@]}" stop --time 60 "$name" >/dev/null
status=$("${podman[@]}" inspect "$name" --format '{{.State.ExitCode}}')
echo "it ended with status $status"
[ "$status" = 0 ]
"${podman[@]}" rm --volumes "$name" >/dev/null
"${buildah[@]}" rmi "localhost/$name" >/dev/null
