/**
 * `npm run campaign:backups [rounds] [projects]`: backs up a server again and again while clients commit, push and open issues, restores
 * each backup on SQLite, and compares it with what was acknowledged before it began. `FENNEC_DATABASE_URL` chooses the engine of the
 * server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, clientOf, git, makeHistory, temporaryDirectory } from '../../../src/testing/index.ts'
import { program } from '../../program.ts'
import { checkInstallation, environmentOf, type Installation, startVictim } from '../process.ts'

const [rounds = '10', projects = '20'] = process.argv.slice(2)
const tell = (line: string) => process.stdout.write(`${line}\n`)
const problems: string[] = []

/** What was acknowledged in one project. */
type Acknowledged = { id: number; commits: string[]; pushes: number; issues: number }

await using folder = await temporaryDirectory()
const installation: Installation = {
  data: join(folder.path, 'data'),
  databaseUrl: process.env.FENNEC_DATABASE_URL,
  token: 'a-token-for-the-campaign',
}
const server = await startVictim(installation)
const root = clientOf(server.url, installation.token)
await root.put('/application/settings', { issues_create_limit: 0 })
const work = join(folder.path, 'work')
await mkdir(work)
await makeHistory(work, ['one', 'two'])

let isOver = false
let longestMs = 0

async function timed<T>(request: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const answer = await request()
  longestMs = Math.max(longestMs, performance.now() - began)
  return answer
}

async function writeTo(client: Client, known: Acknowledged): Promise<void> {
  for (let count = 0; !isOver; count += 1) {
    const file = { branch: 'main', commit_message: 'a commit', content: `${count}\n`.repeat(100) }
    const path = `/projects/${known.id}/repository/files/f${count}`
    const written = await timed(() => client.post(path, file))
    if (written.status !== 201) throw new Error(`a commit was refused: ${JSON.stringify(written.body)}`)
    known.commits.push(`f${count}`)
    const opened = await timed(() => client.post(`/projects/${known.id}/issues`, { title: `issue ${count}` }))
    if (opened.status === 201) known.issues += 1
    if (count % 10 !== 0) continue
    const address = `${server.url.replace('://', `://root:${installation.token}@`)}/root/p${known.id}.git`
    const { code } = await git(work, 'push', '--quiet', address, `HEAD:refs/heads/push-${known.pushes + 1}`)
    if (code === 0) known.pushes += 1
  }
}

async function command(place: Installation, ...parameters: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...parameters], {
    env: environmentOf(place) as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) problems.push(`${parameters[0]}: ${said.trim().split('\n').at(-1)}`)
}

/** Compares a restored place with what was acknowledged before. */
async function compare(place: Installation, before: readonly Acknowledged[]): Promise<void> {
  const { code, output } = await checkInstallation(place)
  if (code !== 0) problems.push(`check: ${output}`)
  const restored = await startVictim(place)
  const client = clientOf(restored.url, place.token)
  for (const { id, commits, pushes, issues } of before) {
    const of = `/projects/${id}`
    const last = commits.at(-1)
    const checks = [
      ...(last ? [`${of}/repository/files/${last}?ref=main`] : []),
      ...(pushes > 0 ? [`${of}/repository/branches/push-${pushes}`] : []),
      ...(issues > 0 ? [`${of}/issues/${issues}`] : []),
    ]
    for (const path of checks) {
      const { status } = await client.get(path)
      if (status !== 200) problems.push(`${path} was acknowledged before the backup, and answers ${status} after it`)
    }
  }
  await restored.stop()
}

const known: Acknowledged[] = []
for (let id = 1; id <= Number(projects); id += 1) {
  const { body } = await root.post('/projects', { name: `p${id}`, initialize_with_readme: true })
  known.push({ id: body.id, commits: [], pushes: 0, issues: 0 })
}
const writing = known.slice(0, 6).map((one) => writeTo(root, one))
const fileOf = (round: number) => join(folder.path, `backup-${round}`)
for (let round = 1; round <= Number(rounds); round += 1) {
  const before = structuredClone(known)
  longestMs = 0
  const began = performance.now()
  // Every second one is based on the one before.
  const base = round % 2 === 0 ? ['--incremental-from', fileOf(round - 1)] : []
  await command(installation, 'backup', ...base, fileOf(round))
  const tookMs = performance.now() - began
  const pauseMs = longestMs
  const { size } = await stat(fileOf(round)).catch(() => ({ size: 0 }))
  const place = { data: join(folder.path, `restored-${round}`), token: installation.token }
  const restoring = performance.now()
  await command(place, 'restore', fileOf(round))
  const restoredMs = performance.now() - restoring
  await compare(place, before)
  await rm(place.data, { recursive: true, force: true })
  const counted = before.reduce((sum, { commits, pushes, issues }) => sum + commits.length + pushes + issues, 0)
  tell(
    `${round} of ${rounds}: ${counted} writes before, ${base.length > 0 ? 'incremental ' : ''}${size} bytes in ${Math.round(tookMs)} ms, ` +
      `longest request ${Math.round(pauseMs)} ms, restored in ${Math.round(restoredMs)} ms, ${problems.length} problems`,
  )
}
isOver = true
await Promise.all(writing)
await server.stop()
for (const problem of problems) tell(problem)
tell(problems.length === 0 ? 'Every backup has what was acknowledged before it.' : `${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
