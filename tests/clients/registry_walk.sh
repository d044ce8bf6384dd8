#!/usr/bin/env bash
# The acceptance walk of the container registry (contract 02) with curl, skopeo, crane, oras, helm, buildah and docker, unchanged.
#
#     FENNEC_ROOT_TOKEN=… npm start
#     tests/clients/registry_walk.sh http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"
#
# Prints a line per step and ends with the status 1 when one fails. Needs bash, curl and jq; steps of clients that are not
# installed are skipped. The server is reached over http, under a host name or address that docker treats as insecure.

set -u
url=${1%/} token=$2
host=${url#*://}
mark=$(head -c 4 /dev/urandom | od -An -tx1 | tr -d ' \n')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DOCKER_CONFIG=$folder/docker XDG_RUNTIME_DIR=$folder/run HELM_CONFIG_HOME=$folder/helm HELM_CACHE_HOME=$folder/helm-cache
mkdir -p "$DOCKER_CONFIG" "$XDG_RUNTIME_DIR"
failed=0

# --- checks -------------------------------------------------------------------------------------------------------------

fail() {
  echo "      line ${BASH_LINENO[1]}: $*" >&2
  problems=$((problems + 1))
}
equal() { [ "$1" = "$2" ] || fail "'$1' instead of '$2'"; }
contains() { case $1 in *"$2"*) ;; *) fail "'$2' is not in '${1:0:400}'" ;; esac; }
succeeds() {
  local output
  output=$("$@" 2>&1) || fail "$1 $2: ${output: -400}"
}
fails() { # fails TEXT COMMAND…: the command fails, and says the text
  local text=$1 output
  shift
  if output=$("$@" 2>&1); then fail "$1 $2 succeeded"; else contains "$output" "$text"; fi
}
step() { # step NAME [CLIENT…]
  local name=$1 client
  shift
  for client in "$@"; do
    if ! command -v "$client" >/dev/null; then
      echo "skip  $name (without $client)"
      return
    fi
  done
  problems=0
  "${name// /_}"
  if [ "$problems" = 0 ]; then echo "ok    $name"; else
    echo "FAIL  $name"
    failed=$((failed + 1))
  fi
}
eventually() { # eventually EXPECTED COMMAND…
  local expected=$1 until=$((SECONDS + 60)) found=
  shift
  while [ $SECONDS -lt $until ]; do
    found=$("$@" 2>/dev/null)
    [ "$found" = "$expected" ] && return
    sleep 0.2
  done
  fail "'$found' instead of '$expected'"
}

# --- requests -----------------------------------------------------------------------------------------------------------

# The status goes to $status, the body to $body, the headers to $headers.
send() { # send METHOD ADDRESS [options of curl…]
  local method=$1 address=$2
  shift 2
  [ "$method" = HEAD ] && set -- --head "$@" || set -- --request "$method" "$@"
  status=$(curl --silent --output "$folder/body" --dump-header "$folder/headers" --write-out '%{http_code}' "$@" "$address")
  body=$(tr -d '\0' <"$folder/body" 2>/dev/null)
  headers=$(tr -d '\r' <"$folder/headers")
}
api() { # api TOKEN METHOD PATH [options…]
  local as=$1 method=$2 path=$3
  shift 3
  if [ -n "$as" ]; then set -- --header "PRIVATE-TOKEN: $as" "$@"; fi
  send "$method" "$url/api/v4$path" "$@"
}
header() { sed -n "s/^$1: //Ip" <<<"$headers" | tail -1; }
shown() { jq -r "$1" <<<"$body"; }
ask() { # ask USER:PASSWORD SCOPE…: asks for a token; without user and password when they are empty
  local login=$1 scope options=()
  shift
  [ -n "$login" ] && options+=(--user "$login")
  for scope in "$@"; do options+=(--data-urlencode "scope=$scope"); done
  send GET "$url/jwt/auth" --get --data-urlencode service=container_registry "${options[@]}"
}
claims() { jq -R -c 'split(".")[1] | gsub("-"; "+") | gsub("_"; "/") | . + "==="[0:(4 - length % 4) % 4] | @base64d | fromjson' <<<"$(shown .token)"; }
granted() { claims | jq -c '[.access[].actions]'; }
registry() { # registry METHOD PATH [options…], with $bearer
  local method=$1 path=$2
  shift 2
  send "$method" "$url/v2/$path" --header "Authorization: Bearer $bearer" "$@"
}
bearer_of() { # bearer_of USER:PASSWORD SCOPE…
  ask "$@"
  bearer=$(shown .token)
}
sha() { sha256sum "$1" | cut -d' ' -f1; }

# --- images -------------------------------------------------------------------------------------------------------------

add_blob() { # add_blob LAYOUT FILE: prints digest and size as members of a descriptor
  local hex
  hex=$(sha "$2")
  mkdir -p "$1/blobs/sha256"
  cp "$2" "$1/blobs/sha256/$hex"
  printf '"digest":"sha256:%s","size":%d' "$hex" "$(stat -c %s "$2")"
}
oci=application/vnd.oci.image
make_manifest() { # make_manifest LAYOUT CREATED SEED ARCHITECTURE: prints the descriptor of an image with two layers
  local layers=() diffs=() part
  for part in 1 2; do
    { echo "layer $part of $3"; head -c $((part * 50000)) /dev/urandom; } >"$folder/file"
    tar -C "$folder" --transform "s/file/file-$part/" -cf "$folder/layer.tar" file
    diffs+=("\"sha256:$(sha "$folder/layer.tar")\"")
    gzip -nf "$folder/layer.tar"
    layers+=("{\"mediaType\":\"$oci.layer.v1.tar+gzip\",$(add_blob "$1" "$folder/layer.tar.gz")}")
  done
  printf '{"created":"%s","architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[%s,%s]},"history":[]}' \
    "$2" "$4" "${diffs[0]}" "${diffs[1]}" >"$folder/config"
  printf '{"schemaVersion":2,"mediaType":"%s.manifest.v1+json","config":{"mediaType":"%s.config.v1+json",%s},"layers":[%s,%s]}' \
    "$oci" "$oci" "$(add_blob "$1" "$folder/config")" "${layers[0]}" "${layers[1]}" >"$folder/manifest"
  printf '{"mediaType":"%s.manifest.v1+json",%s,"platform":{"os":"linux","architecture":"%s"}}' \
    "$oci" "$(add_blob "$1" "$folder/manifest")" "$4"
}
write_index() { printf '{"schemaVersion":2,"mediaType":"%s.index.v1+json","manifests":[%s]}' "$oci" "$1"; }
make_image() { # make_image LAYOUT CREATED
  mkdir -p "$1"
  echo '{"imageLayoutVersion":"1.0.0"}' >"$1/oci-layout"
  write_index "$(make_manifest "$1" "$2" "$1" amd64)" >"$1/index.json"
}
make_pair() { # make_pair LAYOUT CREATED: an image of two platforms
  mkdir -p "$1"
  echo '{"imageLayoutVersion":"1.0.0"}' >"$1/oci-layout"
  write_index "$(make_manifest "$1" "$2" "$1" amd64),$(make_manifest "$1" "$2" "$1-arm" arm64)" >"$folder/pair"
  printf '{"schemaVersion":2,"manifests":[{"mediaType":"%s.index.v1+json",%s}]}' "$oci" "$(add_blob "$1" "$folder/pair")" >"$1/index.json"
}
days_ago() { date -u -d "$1 days ago" +%Y-%m-%dT%H:%M:%SZ; }
first_manifest() { cat "$1/blobs/sha256/$(jq -r '.manifests[0].digest[7:]' "$1/index.json")"; }

skopeo_() { skopeo --insecure-policy "$@"; }
push() { # push LAYOUT NAME:TAG TOKEN
  skopeo_ copy --quiet --all --dest-tls-verify=false --dest-creds "x:$3" "oci:$1" "docker://$host/$2"
}
inspect() { # inspect NAME:TAG TOKEN FORMAT
  skopeo_ inspect --tls-verify=false --creds "x:$2" --format "$3" "docker://$host/$1"
}

# --- people and projects ------------------------------------------------------------------------------------------------

person() { # person NAME: makes a user, and prints id and token
  local id name=$1$mark
  api "$token" POST /users --json "{\"username\":\"$name\",\"name\":\"$name\",\"email\":\"$name@example.com\",\"password\":\"walk-$mark-Fox!\",\"skip_confirmation\":true}"
  id=$(shown .id)
  echo "$id $(token_of "$id" '["api"]')"
}
token_of() { # token_of ID SCOPES
  api "$token" POST "/users/$1/personal_access_tokens" --json "{\"name\":\"walk\",\"scopes\":$2}"
  shown .token
}
read -r m_id M <<<"$(person m)"
read -r d_id D <<<"$(person d)"
read -r r_id R <<<"$(person r)"
read -r g_id G <<<"$(person g)"
read -r _ O <<<"$(person o)"
g=walk$mark
api "$token" POST /groups --json "{\"name\":\"$g\",\"path\":\"$g\",\"visibility\":\"public\"}"
group_id=$(shown .id)
for project in p:private pub:public; do
  api "$token" POST /projects --json "{\"name\":\"${project%:*}\",\"namespace_id\":$group_id,\"visibility\":\"${project#*:}\"}"
  id=$(shown .id)
  [ "${project%:*}" = p ] && p_id=$id
  for member in "$m_id:40" "$d_id:30" "$r_id:20" "$g_id:10"; do
    api "$token" POST "/projects/$id/members" --json "{\"user_id\":${member%:*},\"access_level\":${member#*:}}"
  done
done
[ "$status" = 201 ] || { echo "cannot make the projects of the walk: $body" >&2; exit 1; }
repositories=/projects/$p_id/registry/repositories
make_image "$folder/A" "$(days_ago 3)"
make_image "$folder/B" "$(days_ago 1)"
make_pair "$folder/pair-of-images" "$(days_ago 2)"
repository_id() { # repository_id NAME
  api "$M" GET "$repositories?per_page=100"
  jq -r ".[] | select(.name == \"$1\") | .id" <<<"$body"
}

# --- the walk -----------------------------------------------------------------------------------------------------------

sign_in() {
  send GET "$url/v2/"
  equal "$status $(header Docker-Distribution-Api-Version)" "401 registry/2.0"
  equal "$(header WWW-Authenticate)" "Bearer realm=\"$url/jwt/auth\",service=\"container_registry\""
  ask "d:$D"
  equal "$status $(claims | jq -c .access)" '200 []'
  ask "d:wrong"
  equal "$status $(shown .errors[0].code)" '401 UNAUTHORIZED'
  ask "d:$(token_of "$d_id" '["read_user"]')"
  equal "$status $(shown .errors[0].code)" '403 DENIED'
  ask 'gitlab-ci-token:glcbt-unknown'
  equal "$status" 401
}
sign_in_with_docker() {
  contains "$(docker login --username d --password-stdin "$host" <<<"$D" 2>&1)" 'Login Succeeded'
  fails '' docker login --username d --password-stdin "$host" <<<wrong
  docker logout "$host" >/dev/null 2>&1
}
sign_in_with_skopeo() {
  contains "$(skopeo login --tls-verify=false --username d --password-stdin "$host" <<<"$D" 2>&1)" 'Login Succeeded'
  fails 'invalid username/password' skopeo login --tls-verify=false --username d --password-stdin "$host" <<<wrong
  skopeo logout "$host" >/dev/null 2>&1
}
push_and_list() {
  succeeds push "$folder/A" "$g/p/web:v1" "$D"
  api "$R" GET "$repositories?tags=true&tags_count=true"
  equal "$(jq -c '[.[] | [.name, .path, .tags_count, .status, .tags[0].name]]' <<<"$body")" "[[\"web\",\"$g/p/web\",1,null,\"v1\"]]"
  equal "$(shown .[0].location)" "$host/$g/p/web"
  api "$G" GET "$repositories"
  equal "$status $(shown .message)" '403 403 Forbidden'
  for caller in "$O" ''; do
    api "$caller" GET "$repositories"
    equal "$status $(shown .message)" '404 404 Project Not Found'
  done
}
details_of_a_tag() {
  local id manifest sizes before
  id=$(repository_id web)
  manifest=$(first_manifest "$folder/A")
  sizes=$(jq '[.layers[].size] | add' <<<"$manifest")
  api "$R" GET "$repositories/$id/tags/v1"
  equal "$(shown .digest)" "$(inspect "$g/p/web:v1" "$R" '{{.Digest}}')"
  equal "$(shown .revision)" "$(jq -r '.config.digest[7:]' <<<"$manifest")"
  equal "$(shown '.short_revision | length') $(shown .total_size)" "9 $sizes"
  equal "$(shown '.created_at[0:10]')" "$(date -u -d '3 days ago' +%F)"
  api "$R" GET "/registry/repositories/$id?size=true"
  before=$(shown .size)
  equal "$before" "$sizes"
  succeeds push "$folder/A" "$g/p/web:v2" "$D"
  api "$R" GET "/registry/repositories/$id?size=true&tags_count=true"
  equal "$(shown .size) $(shown .tags_count)" "$before 2"
}
grants() {
  local scope="repository:$g/p/web:pull,push,delete" reader
  ask "r:$R" "$scope"
  equal "$(granted) $(claims | jq '.exp - .iat')" '[["pull"]] 300'
  ask "m:$M" "$scope"
  equal "$(granted)" '[["pull","push","delete"]]'
  api "$M" POST "/projects/$p_id/deploy_tokens" --json '{"name":"reader","username":"reader","scopes":["read_registry"]}'
  reader=$(shown .token)
  ask "reader:$reader" "$scope"
  equal "$(granted)" '[["pull"]]'
  ask "other:$reader" "$scope"
  equal "$status" 401
  ask "g:$G" "$scope"
  equal "$status $(granted)" '200 []'
  ask '' "$scope"
  equal "$status $(shown .errors[0].message)" '403 access forbidden'
}
push_without_the_right() {
  fails 'denied' push "$folder/B" "$g/p/web:no" "$R"
  bearer_of "r:$R" "repository:$g/p/web:pull"
  registry POST "$g/p/web/blobs/uploads/"
  equal "$status" 401
  contains "$(header WWW-Authenticate)" "scope=\"repository:$g/p/web:pull,push\",error=\"insufficient_scope\""
}
upload_in_chunks() {
  local session digest
  bearer_of "d:$D" "repository:$g/p/chunks:pull,push"
  digest=sha256:$(printf 0123456789 | sha256sum | cut -d' ' -f1)
  registry POST "$g/p/chunks/blobs/uploads/"
  equal "$status" 202
  session=$(header Location) && session=${session#/v2/}
  registry PATCH "$session" --header 'Content-Range: 5-9' --data-binary 56789
  equal "$status" 416
  registry GET "$session"
  equal "$status $(header Range)" '204 0-0'
  registry PATCH "$session" --header 'Content-Range: 0-4' --data-binary 01234
  equal "$status $(header Range)" '202 0-4'
  session=$(header Location) && session=${session#/v2/}
  registry PATCH "$session" --header 'Content-Range: 0-4' --data-binary 01234
  equal "$status" 416
  registry PUT "$session"
  equal "$status $(shown .errors[0].code)" '400 DIGEST_INVALID'
  case $session in *\?*) session="$session&digest=$digest" ;; *) session="$session?digest=$digest" ;; esac
  registry PUT "$session" --header 'Content-Range: 5-9' --data-binary 56789
  equal "$status $(header Docker-Content-Digest)" "201 $digest"
  registry HEAD "$g/p/chunks/blobs/$digest"
  equal "$status $(header Content-Length)" '200 10'
  registry GET "$g/p/chunks/blobs/$digest" --header 'Range: bytes=2-3'
  equal "$status $(header Content-Range) $body" '206 bytes 2-3/10 23'
  registry POST "$g/p/chunks/blobs/uploads/"
  session=$(header Location) && session=${session#/v2/}
  registry PUT "$session?digest=$digest" --data-binary wrong
  equal "$status" 400
  registry GET "$session"
  equal "$status" 404
}
refused_manifests_and_referrers() {
  local type="$oci.manifest.v1+json" none=sha256:$(printf 0 | sha256sum | cut -d' ' -f1) empty config subject
  bearer_of "d:$D" "repository:$g/p/refs:pull,push"
  config=sha256:$(printf '{}' | sha256sum | cut -d' ' -f1)
  registry POST "$g/p/refs/blobs/uploads/?digest=$config" --data-binary '{}'
  equal "$status" 201
  empty="\"config\":{\"mediaType\":\"application/vnd.oci.empty.v1+json\",\"digest\":\"$config\",\"size\":2}"
  registry PUT "$g/p/refs/manifests/a" --header "Content-Type: $type" --data-binary "{\"schemaVersion\":2,$empty,\"layers\":[{\"mediaType\":\"a/b\",\"digest\":\"$none\",\"size\":1}]}"
  equal "$status $(shown '.errors[0].code + .errors[0].detail.digest')" "400 MANIFEST_BLOB_UNKNOWN$none"
  head -c 4194305 /dev/zero | tr '\0' ' ' >"$folder/large"
  registry PUT "$g/p/refs/manifests/a" --header "Content-Type: $type" --header 'Expect:' --data-binary "@$folder/large"
  equal "$status $(shown .errors[0].code)" '413 MANIFEST_INVALID'
  subject="\"subject\":{\"mediaType\":\"$type\",\"digest\":\"$none\",\"size\":1}"
  registry PUT "$g/p/refs/manifests/sig" --header "Content-Type: $type" --data-binary "{\"schemaVersion\":2,\"mediaType\":\"$type\",\"artifactType\":\"example/sig\",$empty,\"layers\":[],$subject}"
  equal "$status $(header OCI-Subject)" "201 $none"
  registry GET "$g/p/refs/referrers/$none?artifactType=example/sig"
  equal "$status $(header OCI-Filters-Applied) $(shown '.manifests | length') $(shown .manifests[0].artifactType)" '200 artifactType 1 example/sig'
  registry GET "$g/p/refs/referrers/$none?artifactType=other"
  equal "$status $(shown '.manifests | length')" '200 0'
}
mount_and_copy() {
  local layer
  layer=$(first_manifest "$folder/A" | jq -r '.layers[0].digest')
  bearer_of "d:$D" "repository:$g/p:pull,push" "repository:$g/p/web:pull"
  registry POST "$g/p/blobs/uploads/?mount=$layer&from=$g/p/web"
  equal "$status" 201
  bearer_of "d:$D" "repository:$g/p:pull,push"
  registry POST "$g/p/blobs/uploads/?mount=$layer&from=$g/p/web"
  equal "$status" 401
  contains "$(header WWW-Authenticate)" "scope=\"repository:$g/p:pull,push repository:$g/p/web:pull\""
  bearer_of "d:$D" "repository:$g/p:pull,push" "repository:root/unknown:pull"
  registry POST "$g/p/blobs/uploads/?mount=$layer&from=root/unknown"
  equal "$status" 202
  succeeds skopeo_ copy --quiet --src-tls-verify=false --dest-tls-verify=false --src-creds "d:$D" --dest-creds "d:$D" \
    "docker://$host/$g/p/web:v1" "docker://$host/$g/p:root"
  equal "$(inspect "$g/p:root" "$R" '{{.Digest}}')" "$(inspect "$g/p/web:v1" "$R" '{{.Digest}}')"
  [ -n "$(repository_id '')" ] || fail 'there is no root repository'
}
several_platforms() {
  local id
  succeeds push "$folder/pair-of-images" "$g/p/pair:both" "$D"
  id=$(repository_id pair)
  api "$R" GET "$repositories/$id/tags/both"
  equal "$(shown .revision) $(shown .short_revision) $(shown '.total_size > 0')" 'null null true'
  skopeo_ inspect --raw --tls-verify=false --creds "r:$R" "docker://$host/$g/p/pair:both" >"$folder/raw"
  equal "$(sha "$folder/raw")" "$(sha "$folder/pair")"
  succeeds skopeo_ copy --quiet --all --src-tls-verify=false --src-creds "r:$R" "docker://$host/$g/p/pair:both" "oci:$folder/pulled:both"
  equal "$(ls "$folder/pulled/blobs/sha256")" "$(ls "$folder/pair-of-images/blobs/sha256")"
}
crane_() { crane "$@" --insecure; }
push_with_crane() {
  local tag
  crane auth login "$host" --username d --password "$D" 2>/dev/null || fail 'crane auth login'
  succeeds crane_ push "$folder/B" "$host/$g/p/crane:b"
  for tag in v1 latest V2 _x rc1; do succeeds crane_ tag "$host/$g/p/crane:b" "$tag"; done
  equal "$(crane_ ls "$host/$g/p/crane" | tr '\n' ' ')" 'V2 _x b latest rc1 v1 '
  succeeds crane_ pull --format oci "$host/$g/p/crane:rc1" "$folder/by-crane"
  equal "$(crane_ digest "$host/$g/p/crane:v1")" "$(jq -r .manifests[0].digest "$folder/B/index.json")"
  succeeds crane_ copy "$host/$g/p/web:v1" "$host/$g/p/crane:copied"
  succeeds crane_ validate --remote "$host/$g/p/pair:both"
  fails 'UNAUTHORIZED' crane_ delete "$host/$g/p/crane:copied"
  fails '' crane_ catalog "$host"
  crane auth login "$host" --username m --password "$M" 2>/dev/null || fail 'crane auth login'
  succeeds crane_ delete "$host/$g/p/crane:copied"
  crane auth login "$host" --username root --password "$token" 2>/dev/null || fail 'crane auth login'
  contains "$(crane_ catalog "$host")" "$g/p/crane"
  crane auth logout "$host" 2>/dev/null
}
list_tags_with_skopeo() {
  equal "$(skopeo_ list-tags --tls-verify=false --creds "r:$R" "docker://$host/$g/p/crane" | jq -r '.Tags | join(" ")')" 'V2 _x b latest rc1 v1'
}
attach_with_oras() {
  local plain=(--plain-http --username d --password "$D")
  echo '{"signed":true}' >"$folder/signature.json"
  succeeds env -C "$folder" oras attach "${plain[@]}" --artifact-type example/signature "$host/$g/p/web:v1" signature.json:application/json
  contains "$(oras discover "${plain[@]}" --format json "$host/$g/p/web:v1" 2>/dev/null)" 'example/signature'
  echo notes >"$folder/notes.txt"
  succeeds env -C "$folder" oras push "${plain[@]}" --artifact-type example/notes "$host/$g/p/notes:1" notes.txt:text/plain
  succeeds env -C "$folder" oras pull "${plain[@]}" --output pulled-notes "$host/$g/p/notes:1"
  equal "$(cat "$folder/pulled-notes/notes.txt")" notes
  succeeds oras cp --from-plain-http --to-plain-http --from-username d --from-password "$D" --to-username d --to-password "$D" \
    --recursive "$host/$g/p/web:v1" "$host/$g/p/signed:v1"
  contains "$(oras discover "${plain[@]}" --format json "$host/$g/p/signed:v1" 2>/dev/null)" 'example/signature'
}
charts_with_helm() {
  mkdir -p "$folder/chart/templates"
  printf 'apiVersion: v2\nname: chart\nversion: 1.2.3\n' >"$folder/chart/Chart.yaml"
  succeeds helm package "$folder/chart" --destination "$folder"
  contains "$(helm registry login "$host" --plain-http --username d --password-stdin <<<"$D" 2>&1)" 'Login Succeeded'
  succeeds helm push "$folder/chart-1.2.3.tgz" "oci://$host/$g/p" --plain-http
  succeeds helm pull "oci://$host/$g/p/chart" --version 1.2.3 --plain-http --destination "$folder/by-helm" --untar
  equal "$(cat "$folder/by-helm/chart/Chart.yaml" | grep ^version)" 'version: 1.2.3'
  helm registry logout "$host" >/dev/null 2>&1
}
build_with_buildah() {
  local store=(--root "$folder/store" --runroot "$folder/store-run" --storage-driver vfs) container
  echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$folder/policy.json"
  container=$(buildah "${store[@]}" from scratch 2>/dev/null)
  succeeds buildah "${store[@]}" copy "$container" "$folder/policy.json" /policy.json
  succeeds buildah "${store[@]}" commit --signature-policy "$folder/policy.json" "$container" built
  local options=(--tls-verify=false --creds "d:$D" --signature-policy "$folder/policy.json")
  succeeds buildah "${store[@]}" push "${options[@]}" --format docker built "docker://$host/$g/p/built:docker"
  succeeds buildah "${store[@]}" push "${options[@]}" --format oci built "docker://$host/$g/p/built:oci"
  succeeds buildah "${store[@]}" pull "${options[@]}" "docker://$host/$g/p/built:docker"
}
public_images() {
  local pub="$g/pub" scope="repository:$g/pub:pull" level
  level() { api "${2:-$M}" PUT "/projects/$g%2Fpub" --json "{\"container_registry_access_level\":\"$1\"}"; }
  succeeds push "$folder/A" "$pub:v1" "$D"
  succeeds skopeo_ inspect --no-creds --tls-verify=false "docker://$host/$pub:v1"
  succeeds skopeo_ copy --quiet --src-tls-verify=false "docker://$host/$pub:v1" "oci:$folder/anonymous:v1"
  fails '' skopeo_ copy --quiet --dest-tls-verify=false --dest-no-creds "oci:$folder/A" "docker://$host/$pub:no"
  level private
  equal "$status $(shown .container_registry_access_level)" '200 private'
  ask '' "$scope"
  equal "$status" 403
  ask "r:$R" "$scope"
  equal "$(granted)" '[["pull"]]'
  level disabled
  ask "m:$M" "$scope"
  equal "$(granted)" '[]'
  api "$M" GET "/projects/$g%2Fpub/registry/repositories"
  equal "$status" 403
  level enabled "$D"
  equal "$status" 403
  level enabled
  succeeds skopeo_ inspect --no-creds --tls-verify=false "docker://$host/$pub:v1"
}
bulk_deletion() {
  local id other days=5 tag
  for tag in v1 v2 v3 latest rc1; do
    make_image "$folder/clean-$tag" "$(days_ago $days)"
    succeeds push "$folder/clean-$tag" "$g/p/clean:$tag" "$D"
    days=$((days - 1))
  done
  id=$(repository_id clean)
  names() { api "$R" GET "$repositories/$1/tags" && jq -r '[.[].name] | join(" ")' <<<"$body"; }
  api "$M" DELETE "$repositories/$id/tags?name_regex_delete=v.*&name_regex_keep=v2&keep_n=1&older_than=1d"
  equal "$status $(shown .message)" '202 202 Accepted'
  eventually 'latest rc1 v2 v3' names "$id"
  api "$M" DELETE "$repositories/$id/tags?name_regex_delete=v.*"
  equal "$status" 429
  contains "$body" 'already been made'
  other=$(repository_id crane)
  [ -n "$other" ] || { push "$folder/B" "$g/p/crane:latest" "$D" && push "$folder/B" "$g/p/crane:b" "$D" && other=$(repository_id crane); }
  api "$M" DELETE "$repositories/$other/tags?name_regex_delete=*x"
  equal "$status" 400
  contains "$body" 'is an invalid regexp'
  api "$M" DELETE "$repositories/$other/tags"
  equal "$status" 400
  api "$M" DELETE "$repositories/$other/tags?name_regex=.*"
  equal "$status $(header Deprecation)" '202 true'
  eventually 'latest' names "$other"
}
keyset_pages() {
  local id count=0 next pages= names= direction
  bearer_of "d:$D" "repository:$g/p/many:pull,push" "repository:$g/p/web:pull"
  push "$folder/A" "$g/p/many:t00" "$D"
  bearer_of "d:$D" "repository:$g/p/many:pull,push"
  first_manifest "$folder/A" >"$folder/manifest"
  while [ $count -lt 45 ]; do
    registry PUT "$g/p/many/manifests/$(printf t%02d $count)" --header "Content-Type: $oci.manifest.v1+json" --data-binary "@$folder/manifest"
    count=$((count + 1))
  done
  id=$(repository_id many)
  for direction in asc desc; do
    pages= names=
    next="$url/api/v4$repositories/$id/tags?pagination=keyset&per_page=20&sort=$direction"
    while [ -n "$next" ]; do
      send GET "$next" --header "PRIVATE-TOKEN: $R"
      pages="$pages $(shown length)"
      names="$names $(jq -r '[.[].name] | join(" ")' <<<"$body")"
      equal "$(header X-Total)" ''
      next=$(header Link | sed -n 's/.*<\(.*\)>; rel="next".*/\1/p')
    done
    equal "$pages" ' 20 20 5'
    equal "$(wc -w <<<"$names") $(tr ' ' '\n' <<<"$names" | sort -u | grep -c .)" '45 45'
  done
  equal "${names:1:3}" t44
}
delete_by_reference() {
  bearer_of "m:$M" "repository:$g/p/web:delete,pull"
  registry DELETE "$g/p/web/manifests/v2"
  equal "$status" 202
  registry DELETE "$g/p/web/manifests/v2"
  equal "$status $(shown .errors[0].code)" '404 MANIFEST_UNKNOWN'
  registry HEAD "$g/p/web/manifests/v1" --header "Accept: $oci.manifest.v1+json"
  equal "$status" 200
  ask "d:$D" "repository:$g/p/web:delete"
  equal "$(granted)" '[]'
  bearer=$(shown .token)
  registry DELETE "$g/p/web/manifests/v1"
  equal "$status" 401
  bearer_of "m:$M" "repository:$g/p/clean:delete"
  registry DELETE "$g/p/clean/tags/reference/rc1"
  equal "$status $(header Deprecation)" '202 true'
  fails '' skopeo_ delete --tls-verify=false --creds "d:$D" "docker://$host/$g/p/web:v1"
  succeeds skopeo_ delete --tls-verify=false --creds "m:$M" "docker://$host/$g/p/web:v1"
  fails '' skopeo_ inspect --tls-verify=false --creds "m:$M" "docker://$host/$g/p/web:v1"
}
protection_rules() {
  api "$M" POST "/projects/$p_id/registry/protection/repository/rules" --json "{\"repository_path_pattern\":\"$g/p/prod*\",\"minimum_access_level_for_push\":\"maintainer\"}"
  equal "$status" 201
  ask "d:$D" "repository:$g/p/prod:pull,push"
  equal "$status $(shown .errors[0].message)" '403 Pushing to protected repository path forbidden'
  fails '403' push "$folder/A" "$g/p/prod:v1" "$D"
  succeeds push "$folder/A" "$g/p/prod:v1" "$M"
}
delete_a_repository() {
  local id
  id=$(repository_id pair)
  api "$D" DELETE "$repositories/$id"
  equal "$status" 403
  api "$M" DELETE "$repositories/$id"
  equal "$status $(shown .message)" '202 202 Accepted'
  gone() { api "$M" GET "/registry/repositories/$id" && echo "$status"; }
  eventually 404 gone
  succeeds push "$folder/pair-of-images" "$g/p/pair:again" "$D"
  [ "$(repository_id pair)" != "$id" ] || fail 'the new repository has the old id'
}
renamed_project() {
  api "$token" PUT "/projects/$p_id" --json '{"path":"q"}'
  equal "$status" 200
  succeeds skopeo_ inspect --tls-verify=false --creds "r:$R" "docker://$host/$g/q/prod:v1"
  fails '' skopeo_ inspect --tls-verify=false --creds "r:$R" "docker://$host/$g/p/prod:v1"
  ask "d:$D" "repository:$g/q/prod:push"
  equal "$status" 403
}

step 'sign in'
step 'sign in with docker' docker
step 'sign in with skopeo' skopeo
step 'push and list' skopeo
step 'details of a tag' skopeo
step 'grants'
step 'push without the right' skopeo
step 'upload in chunks'
step 'refused manifests and referrers'
step 'mount and copy' skopeo
step 'several platforms' skopeo
step 'push with crane' crane skopeo
step 'list tags with skopeo' skopeo crane
step 'attach with oras' oras skopeo
step 'charts with helm' helm
step 'build with buildah' buildah
step 'public images' skopeo
step 'bulk deletion' skopeo
step 'keyset pages' skopeo
step 'delete by reference' skopeo
step 'protection rules' skopeo
step 'delete a repository' skopeo
step 'renamed project' skopeo
[ "$failed" = 0 ]
