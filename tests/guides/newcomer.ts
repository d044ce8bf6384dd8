/** The first steps of a new user: a fresh clone, empty caches, and the commands of the README one after another. */
import { delimiter } from 'node:path'
import { freePort } from '../../src/testing/free-port.ts'
import { tokenOfRoot } from '../upgrades/releases.ts'
import { type Attempt, Skipped } from './attempt.ts'
import { blocksOf, inlineOf } from './blocks.ts'
import { environmentIn, folderOf } from './reader.ts'
import { prologue } from './script.ts'
import { sh } from './shell.ts'

/** A step that ends with this status cannot be done here; the last line of its output says why. */
const skippedStatus = 77
/** A first start fetches all packages. */
const minutes = 30

const block = (document: string, of: string) => {
  const found = blocksOf(document).find((one) => one.of === of)
  if (!found) throw new Error(`${document} has no block below "${of}"`)
  return found.text.trim()
}

/** Waits until a server that was started in the background answers. It asks by itself: the `curl` of the prologue ends the step at an error. */
const untilReady = (url: string, server: string, log: string) => `
  for _ in $(seq 1200); do
    command curl --silent --fail --output /dev/null "${url}/-/readiness" && break
    kill -0 ${server} || { cat "${log}"; exit 1; }
    sleep 0.5
  done`

/** Starts a server by a command, waits until it answers, and does something with it; it has to stop without an error. */
const whileServed = (command: string, work: string) => `
  ${command} > "$HOME/server.log" 2>&1 & server=$!
  ${untilReady('$url', '$server', '$HOME/server.log')}
  ${work}
  kill $server && wait $server`

const skipUnless = (condition: string, reason: string) => `${condition} || { echo '${reason}'; exit ${skippedStatus}; }`

/** The parts in their order: each needs what those before have made. */
const steps: Readonly<Record<string, string>> = {
  'a fresh clone': 'git clone --quiet "$ROOT" fennec',
  'the first start, and the first requests': `
    cd fennec
    ${whileServed(
      block('README.md', 'Start'),
      `${inlineOf('README.md', 'curl --header')} | grep '"username":"root"'
       ${inlineOf('README.md', 'git push http')}
       curl --header "PRIVATE-TOKEN: $(cat data/root-token)" "$url/api/v4/projects/root%2Fdemo/repository/files/README.md?ref=main" | grep --only-matching '"file_name":"README.md"'`,
    )}`,
  'a pipeline with the runner of Fennec': `
    cd fennec
    ${whileServed(
      'npm start',
      `mkdir "$HOME/first" && cd "$HOME/first" && git init --quiet --initial-branch=main
       printf 'hello:\\n  script: [echo Hello]\\n' > .gitlab-ci.yml
       git add . && git commit --quiet --message Begin
       token="$(cat "$HOME/fennec/data/root-token")"
       git push --quiet "http://root:$token@$FENNEC_LISTEN/root/first.git" HEAD:main
       cd "$HOME/fennec"
       ${inlineOf('README.md', 'npm start -- runner')} & runner=$!
       for _ in $(seq 240); do
         pipelines="$(curl --header "PRIVATE-TOKEN: $token" "$url/api/v4/projects/root%2Ffirst/pipelines")"
         [[ "$pipelines" != *'"status":"success"'* ]] || break
         sleep 0.5
       done
       [[ "$pipelines" == *'"status":"success"'* ]] || { echo "$pipelines"; exit 1; }
       kill $runner && wait $runner || true`,
    )}`,
  'a demo': `
    cd fennec
    ${whileServed(
      inlineOf('README.md', 'npm start -- demo'),
      `curl --output /dev/null --data grant_type=password --data username=tomas --data password=harbour-lights-7 "$url/oauth/token"
       curl "$url/api/v4/projects/slipway%2Fapps%2Ftimetable" | grep '"name":"Timetable"'`,
    )}`,
  // The project is beside the clone, and needs Node 24.
  'the package in a project of their own': `
    export PATH="$PWD/fennec/node_modules/node/bin:$PATH"
    mkdir project && echo '{"type":"module"}' > project/package.json
    cd project
    ${block('docs/guides/testing.md', 'Install')}
    cat > own.mts <<'END_OF_FILE'
${block('README.md', 'In your own tests')}
if (user.status !== 200) throw new Error(String(user.status))
END_OF_FILE
    node own.mts`,
  'the image': `
    ${skipUnless('command -v buildah > /dev/null && command -v podman > /dev/null', 'buildah or podman is not installed')}
    ${skipUnless('[ -n "$BASE" ]', 'BASE names no image to build upon')}
    cd fennec && deploy/try-image.sh "$BASE"`,
  'an upgrade from each release': `
    cd fennec
    for release in tests/upgrades/releases/*; do
      export FENNEC_DATA="$HOME/upgraded"
      rm -rf "$FENNEC_DATA" && mkdir --mode=0700 "$FENNEC_DATA"
      node_modules/node/bin/node --input-type=module --eval "
        const { extractZip } = await import('$PWD/src/runner/files/zip.ts')
        await extractZip('$PWD/$release/data.zip', '$HOME/upgraded', AbortSignal.timeout(600_000))"
      npm start -- migrate --dry-run
      ${whileServed('npm start', `curl "$url/api/v4/projects/slipway%2Fapps%2Ftimetable" | grep '"name":"Timetable"'`)}
      npm start -- check
    done`,
  // The source is the server that was upgraded.
  'an import from a second server': `
    cd fennec
    FENNEC_DATA="$HOME/upgraded" FENNEC_LISTEN="$source" npm start > "$HOME/source.log" 2>&1 & second=$!
    ${untilReady('http://$source', '$second', '$HOME/source.log')}
    printf '%s' '${tokenOfRoot}' > "$HOME/source-token"
    ${whileServed(
      'npm start',
      `npm start -- import "http://$source" --token-file "$HOME/source-token" slipway --report "$HOME/report.json"
       curl "$url/api/v4/projects/slipway%2Fapps%2Ftimetable" | grep '"name":"Timetable"'`,
    )}
    kill $second && wait $second`,
}

/** @returns the steps; one that fails ends them: the others are skipped */
export async function newcomer(): Promise<readonly Attempt[]> {
  const folder = await folderOf('newcomer')
  const listen = `127.0.0.1:${await freePort()}`
  // The Node and the npm of the machine, and nothing of the project.
  const path = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules'))
  const env = {
    ...environmentIn(folder),
    PATH: path.join(delimiter),
    BASE: process.env.BASE ?? '',
    FENNEC_LISTEN: listen,
    url: `http://${listen}`,
    source: `127.0.0.1:${await freePort()}`,
  }
  let hasFailed = false
  return Object.entries(steps).map(([name, script]) => ({
    name: `newcomer: ${name}`,
    async run() {
      if (hasFailed) throw new Skipped('a step before it failed')
      const here = script.replaceAll('127.0.0.1:8080', listen)
      const { code, output } = await sh(prologue + here, { cwd: folder, env, minutes })
      if (code === skippedStatus) throw new Skipped(output.trim().split('\n').at(-1) ?? '')
      hasFailed = code !== 0
      if (hasFailed) throw new Error(output)
    },
  }))
}
