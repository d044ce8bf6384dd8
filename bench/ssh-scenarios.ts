import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GitBench, makeProject } from './git-bench.ts'
import { git } from './history.ts'
import { inTurn, type Pairs, timed } from './measure.ts'
import type { Result } from './table.ts'

const run = promisify(execFile)
const rounds = 5

function beside(name: string, pairs: Pairs): Result {
  const budget = 'within 15 %'
  return { name, ...pairs, unit: 'ms', floorName: 'the same over HTTP', budget, met: pairs.ratio <= 1.15 }
}

/** Makes a key and tells git to use it. @returns its public part */
export async function makeSshKey(folder: string): Promise<string> {
  const key = join(folder, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  process.env.GIT_SSH_COMMAND = [
    ...['ssh', '-F', '/dev/null', '-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes'],
    ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(folder, 'known-hosts')}`],
  ].join(' ')
  return readFile(`${key}.pub`, 'utf8')
}

/** The same repository pushed and cloned over SSH and over HTTP, in turn. */
export async function measureSsh(bench: GitBench): Promise<Result[]> {
  const { folder, fennec, url, source, sshOrigin } = bench
  const body = { title: 'bench', key: await makeSshKey(folder) }
  await fennec.call({ method: 'POST', path: '/api/v4/user/keys', body }, 201)
  const addresses = { fennec: (name: string) => `${sshOrigin}/root/${name}.git`, floor: url.fennec }
  const push = await inTurn(rounds, async (side, round) => {
    const name = `ssh-${side}-${round}`
    await makeProject(fennec, name)
    return (await timed(() => git(source, 'push', '--quiet', addresses[side](name), 'main'))).ms
  })
  const clone = await inTurn(rounds, async (side, round) => {
    const place = join(folder, `ssh-clone-${side}-${round}`)
    const { ms } = await timed(() => git(folder, 'clone', '--quiet', '--bare', addresses[side]('push-0'), place))
    await rm(place, { recursive: true })
    return ms
  })
  return [beside('push over SSH, 50 MB', push), beside('clone over SSH, 50 MB', clone)]
}
