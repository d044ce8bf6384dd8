import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/infra/clock/index.ts'
import { openDatabase } from '../../../src/infra/database/index.ts'
import { openObjects } from '../../../src/infra/objects/index.ts'
import { migrations } from '../../../src/migrations/index.ts'
import { clientOf } from '../../../src/testing/index.ts'
import { program } from '../../program.ts'
import { type Ledger, openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, environmentOf, type Installation, startVictim } from '../process.ts'
import { imageClient } from './client.ts'
import { remainsAfterGrace } from './remains.ts'
import { type Counted, type ImageLoad, imageProblems, workOnImages } from './workload.ts'

type ImageOptions = CampaignOptions & {
  /** How many clients push at once. */
  clients: number
  /** The longest that a server lives once the work has begun, in milliseconds. */
  life: number
}

type Campaign = ImageOptions & {
  installation: Installation
  ledger: Ledger
  problems: string[]
  random(): number
}

async function collect({ installation, problems }: Campaign): Promise<void> {
  const options = { env: environmentOf(installation), stdio: ['ignore', 'ignore', 'inherit'] as const }
  const collecting = spawn(process.execPath, [program, 'registry', 'gc'], options as never)
  const [code] = (await once(collecting, 'exit')) as [number]
  if (code !== 0) problems.push(`registry gc ended with ${code}`)
}

function loadOn({ installation, clients, ledger, random }: Campaign, url: string, isOver: () => boolean): ImageLoad {
  const authorization = `Basic ${Buffer.from(`root:${installation.token}`).toString('base64')}`
  const repositories = ['root/images', 'root/images/web', 'root/other']
  const work = { repositories, workers: clients, layers: 40, deletes: true, isOver }
  return { ...work, client: imageClient(url, authorization), ledger, random }
}

async function killOnce(campaign: Campaign, round: number): Promise<Counted> {
  const { installation, random, life } = campaign
  const server = await startVictim(installation)
  if (round === 1) {
    for (const name of ['images', 'other']) await clientOf(server.url, installation.token).post('/projects', { name })
  }
  let isKilled = false
  const load = loadOn(campaign, server.url, () => isKilled)
  const working = workOnImages(load, round)
  const collecting = (async () => {
    while (!isKilled) await collect(campaign)
  })()
  await sleep((0.3 + 0.7 * random()) * life)
  isKilled = true
  await server.kill()
  await collecting
  return working
}

async function compare(campaign: Campaign): Promise<void> {
  const server = await startVictim(campaign.installation)
  const load = loadOn(campaign, server.url, () => true)
  campaign.problems.push(...(await imageProblems(load)))
  await server.stop()
}

/** Deletes all tags, and counts what is left once the grace periods are over. */
async function clear(campaign: Campaign): Promise<void> {
  const { installation, ledger, problems } = campaign
  const server = await startVictim(installation)
  const { client } = loadOn(campaign, server.url, () => true)
  for (const name of ledger.names()) {
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
}

/**
 * Pushes images from many clients at once, while `fennec registry gc` runs in a loop without a grace period, and kills the server in
 * each round. `FENNEC_OBJECTS_URL` chooses where objects are stored.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: ImageOptions): Promise<string[]> {
  const { FENNEC_OBJECTS_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  const settings = { FENNEC_REGISTRY_GC_GRACE: '0s', FENNEC_OBJECTS_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  const { folder, databaseUrl, seed, rounds, tell } = options
  const campaign: Campaign = {
    ...options,
    installation: { data: join(folder, 'data'), token: 'a-token-for-the-campaign', databaseUrl, settings },
    ledger: openLedger(),
    problems: [],
    random: numbersFrom(seed),
  }
  for (let round = 1; round <= rounds; round += 1) {
    const counted = await killOnce(campaign, round)
    await compare(campaign)
    tell(`${round} of ${rounds}: ${JSON.stringify(counted)}, ${campaign.problems.length} problems`)
  }
  campaign.problems.push(...(await checkProblems(campaign.installation)))
  await clear(campaign)
  return campaign.problems
}
