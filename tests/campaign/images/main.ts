/**
 * `npm run campaign:images [rounds] [seed] [pushers]`: pushes images from many clients at once, while `fennec registry gc` runs in
 * a loop without a grace period, and kills the server in each round. `FENNEC_DATABASE_URL` and `FENNEC_OBJECTS_URL` choose where
 * everything is stored.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/infra/clock/index.ts'
import { openDatabase } from '../../../src/infra/database/index.ts'
import { openObjects } from '../../../src/infra/objects/index.ts'
import { migrations } from '../../../src/schema/index.ts'
import { clientOf, temporaryDirectory } from '../../../src/testing/index.ts'
import { program } from '../../program.ts'
import { openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import { checkInstallation, environmentOf, type Installation, startVictim } from '../process.ts'
import { imageClient } from './client.ts'
import { remainsAfterGrace } from './remains.ts'
import { type Counted, type ImageLoad, imageProblems, workOnImages } from './workload.ts'

const [rounds = '20', seed = '1', pushers = '50'] = process.argv.slice(2)
/** The longest that a server lives once the work has begun, in milliseconds. */
const longestLifeMs = 20_000
const tell = (line: string) => process.stdout.write(`${line}\n`)

await using folder = await temporaryDirectory()
const installation: Installation = {
  data: join(folder.path, 'data'),
  token: 'a-token-for-the-campaign',
  databaseUrl: process.env.FENNEC_DATABASE_URL,
  settings: {
    FENNEC_REGISTRY_GC_GRACE: '0s',
    FENNEC_OBJECTS_URL: process.env.FENNEC_OBJECTS_URL,
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY,
  },
}
const random = numbersFrom(Number(seed))
const ledger = openLedger()
const problems: string[] = []

async function collect(): Promise<void> {
  const options = { env: environmentOf(installation), stdio: ['ignore', 'ignore', 'inherit'] as const }
  const [code] = (await once(spawn(process.execPath, [program, 'registry', 'gc'], options as never), 'exit')) as [
    number,
  ]
  if (code !== 0) problems.push(`registry gc ended with ${code}`)
}

function loadOn(url: string, isOver: () => boolean): ImageLoad {
  const authorization = `Basic ${Buffer.from(`root:${installation.token}`).toString('base64')}`
  const repositories = ['root/images', 'root/images/web', 'root/other']
  const work = { repositories, workers: Number(pushers), layers: 40, deletes: true, isOver }
  return { ...work, client: imageClient(url, authorization), ledger, random }
}

async function round(number: number): Promise<Counted> {
  const server = await startVictim(installation)
  if (number === 1) {
    for (const name of ['images', 'other']) await clientOf(server.url, installation.token).post('/projects', { name })
  }
  let isKilled = false
  const working = workOnImages(
    loadOn(server.url, () => isKilled),
    number,
  )
  const collecting = (async () => {
    while (!isKilled) await collect()
  })()
  await sleep((0.3 + 0.7 * random()) * longestLifeMs)
  isKilled = true
  await server.kill()
  await collecting
  return working
}

async function compare(): Promise<ImageLoad> {
  const server = await startVictim(installation)
  const load = loadOn(server.url, () => true)
  problems.push(...(await imageProblems(load)))
  await server.stop()
  return load
}

for (let number = 1; number <= Number(rounds); number += 1) {
  const counted = await round(number)
  await compare()
  tell(`${number} of ${rounds}: ${JSON.stringify(counted)}, ${problems.length} problems`)
}
const { code, output } = await checkInstallation(installation)
if (code !== 0) problems.push(`check: ${output}`)

const server = await startVictim(installation)
const { client } = loadOn(server.url, () => true)
for (const name of ledger.branches()) {
  const [repository = '', tag] = name.split(':')
  await client.send('DELETE', repository, `manifests/${tag}`)
}
await server.stop()
const { data, databaseUrl = `sqlite:${join(data, 'fennec.db')}` } = installation
const database = await openDatabase({ url: databaseUrl, migrations })
const location = process.env.FENNEC_OBJECTS_URL ?? `file://${join(data, 'objects')}`
const objects = await openObjects({ location, clock: systemClock })
// An upload that was killed protects its content until it expires.
await database.write((tx) => tx.deleteFrom('registry_uploads').execute())
const remains = await remainsAfterGrace({ database, objects }, systemClock.now())
await database.close()
if (Object.values(remains).some((count) => count > 0)) problems.push(`left: ${JSON.stringify(remains)}`)
for (const problem of problems) tell(problem)
tell(problems.length === 0 ? 'Everything that was acknowledged can be pulled, and nothing is left.' : 'Failed.')
process.exitCode = problems.length === 0 ? 0 : 1
