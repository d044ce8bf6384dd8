/** Compares what the newest clients can send with what the server has, and with what the contract lists as left out. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Attempt, Skipped } from '../../guides/attempt.ts'
import { environmentIn, folderOf } from '../../guides/reader.ts'
import { sh } from '../../guides/shell.ts'
import { requestsOfClientGo } from './client-go.ts'
import { requestsOfGitbeaker } from './gitbeaker.ts'
import { leftOut } from './left-out.ts'
import { compare, mounted, serving, staleOf } from './surface.ts'

type Requests = { requests: string[]; silent: string[] }

type Client = {
  name: string
  /** The program that installs it. */
  needs: string
  /** Installs the newest version into the current folder, and writes the file `version`. */
  install: string
  /** What it can send, and the methods that sent nothing. */
  list(folder: string): Promise<Requests> | Requests
}

const lines = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')

const clients: readonly Client[] = [
  {
    name: 'python-gitlab',
    needs: 'python3',
    install: `python3 -m venv python && python/bin/pip install --quiet --disable-pip-version-check python-gitlab
      python/bin/python -c 'import gitlab; print(gitlab.__version__)' > version
      python/bin/python "$ROOT/tests/clients/surfaces/python_gitlab.py" > requests 2> silent`,
    list: async (folder) => ({
      requests: await lines(join(folder, 'requests')),
      silent: await lines(join(folder, 'silent')),
    }),
  },
  {
    name: 'gitbeaker',
    needs: 'npm',
    install: `npm install --prefix . --loglevel=error --no-audit --no-fund @gitbeaker/rest@latest
      node -p 'require("./node_modules/@gitbeaker/rest/package.json").version' > version`,
    list: async (folder) =>
      requestsOfGitbeaker(await import(join(folder, 'node_modules/@gitbeaker/rest/dist/index.mjs'))),
  },
  {
    name: 'client-go',
    needs: 'go',
    install: `printf 'module surfaces\\n' > go.mod
      go mod download -json gitlab.com/gitlab-org/api/client-go/v2@latest > module
      node -p 'JSON.parse(require("fs").readFileSync("module", "utf8")).Version' > version`,
    list: async (folder) => requestsOfClientGo(JSON.parse(await readFile(join(folder, 'module'), 'utf8')).Dir),
  },
]

/** Requests that no operation takes, by client; a client that could not be installed has none here. */
const unserved = new Map<string, readonly string[]>()

async function compareClient({ name, needs, install, list }: Client): Promise<void> {
  const folder = await folderOf(`surface of ${name}`)
  const where = { cwd: folder, env: environmentIn(folder) }
  if ((await sh(`command -v ${needs}`, where)).code !== 0) throw new Skipped(`needs ${needs}`)
  await writeFile(join(folder, 'package.json'), '{"private":true}\n')
  const { code, output } = await sh(`set -e\n${install}`, where)
  if (code !== 0) throw new Error(output)
  const { requests, silent } = await list(folder)
  const { served, leftOut: listed, absent } = compare(requests, { isServed: serving(mounted), leftOut })
  unserved.set(name, [...listed, ...absent])
  const [version] = await lines(join(folder, 'version'))
  const figures = `${served.length} served, ${listed.length} left out, ${absent.length} absent`
  process.stdout.write(`${name} ${version}: ${requests.length} requests, ${figures}\n`)
  const problems = [...absent.map((one) => `absent: ${one}`), ...silent.map((one) => `cannot be read: ${one}`)]
  if (requests.length === 0) problems.push('no request was found')
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function findStale(): Promise<void> {
  if (unserved.size < clients.length) throw new Skipped('not all clients were compared')
  const stale = staleOf(leftOut, [...unserved.values()].flat())
  if (stale.length > 0)
    throw new Error(stale.map((entry) => `no client sends it, or the server has it: ${entry}`).join('\n'))
}

/** The clients one after another, then the list of what is left out. */
export const surfaces: readonly Attempt[] = [
  ...clients.map((client) => ({ name: `surfaces: ${client.name}`, run: () => compareClient(client) })),
  { name: 'surfaces: what is left out', run: findStale },
]
