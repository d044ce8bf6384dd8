#!/usr/bin/env bash
# Generates the Go, Python and TypeScript clients of a running server with openapi-generator, compiles them, and calls the server
# with each: the version, a new project, its branches by id and by path, an upload, a 404.
#
#   openapi_generator_walk.sh http://127.0.0.1:8080 TOKEN [FOLDER]
#
# Needs Java 11, Maven, Go and Python 3.10, and this project's node_modules. A folder that has the generated clients already, from
# an earlier run, is used as it is.
set -euo pipefail

address=$1
token=$2
here=$(cd "$(dirname "$0")" && pwd)
work=${3:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
export PATH="$here/../../node_modules/.bin:$PATH"
version=${OPENAPI_GENERATOR_VERSION:-7.17.0}
run=$(date +%s)

generate() {
  [ -d "$work/$1" ] && return
  local jar="$HOME/.m2/repository/org/openapitools/openapi-generator-cli/$version/openapi-generator-cli-$version.jar"
  if [ ! -f "$jar" ]; then
    mvn -q dependency:get "-Dartifact=org.openapitools:openapi-generator-cli:$version" -Dtransitive=false
  fi
  [ -f "$work/openapi.json" ] || curl -sf "$address/api/v4/openapi.json" -o "$work/openapi.json"
  java -jar "$jar" generate -i "$work/openapi.json" -g "$1" -o "$work/$1" --git-user-id fennec --git-repo-id fennec \
    --global-property apiDocs=false,modelDocs=false,apiTests=false,modelTests=false "${@:2}" >"$work/$1.log" 2>&1
}

printf 'a file' >"$work/file.txt"

generate go --additional-properties=packageName=fennec,withGoMod=true
mkdir -p "$work/go/walk"
cp "$here/generated/walk.go" "$work/go/walk/main.go"
(cd "$work/go" && go build ./... && go run ./walk "$address" "$token" "go-$run" "$work/file.txt")

generate python --additional-properties=packageName=fennec_client
if [ ! -d "$work/venv" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" -q install 'pydantic>=2' urllib3 python-dateutil typing-extensions
fi
"$work/venv/bin/python" -m compileall -q "$work/python/fennec_client"
PYTHONPATH="$work/python" "$work/venv/bin/python" "$here/generated/walk.py" "$address" "$token" "python-$run" "$work/file.txt"

generate typescript-fetch
cd "$work"
tsc --strict --target es2022 --module commonjs --moduleResolution bundler --lib es2022,dom,dom.iterable \
  --types '' --outDir "$work/compiled" "$work/typescript-fetch/index.ts"
node "$here/generated/walk.cjs" "$work/compiled/index.js" "$address" "$token" "typescript-$run"
