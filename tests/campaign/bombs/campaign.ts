import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bombRequest, deltaBomb, zerosBomb } from '../../../src/infra/git/transport/bombs-testing.ts'
import { clientOf } from '../../../src/testing/index.ts'
import { openLedger } from '../ledger.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, startVictim } from '../process.ts'
import { commits, pushes } from '../workload/branches.ts'
import { compare, type Load, prepareLoad, work } from '../workload/index.ts'
import { quarantinesBelow, watchMemory } from './memory.ts'

type BombOptions = CampaignOptions & {
  /** The processor time that git may take to unpack a push. */
  seconds: number
}

const memoryMib = 1024
/** How long a read may take beside a bomb. */
const longestReadMs = 10_000
/** How long git may take for a bomb on a busy machine, in seconds of processor time. */
const patience = 60

/** A pack of one of three kinds, of which some stay within the limits. */
async function randomBomb(random: () => number) {
  const kind = Math.floor(random() * 3)
  if (kind === 0) return deltaBomb({ factor: 2 + Math.floor(random() * 1023), steps: 2 + Math.floor(random() * 2) })
  if (kind === 1) return deltaBomb({ factor: 64, steps: 2 + Math.floor(random() * 2), more: Math.floor(random() * 60) })
  return zerosBomb(Math.ceil(random() * 800) * 1024 * 1024)
}

/** Pushes a bomb. @returns git's answer */
async function pushBomb(url: string, token: string, request: Buffer): Promise<string> {
  const headers = {
    Authorization: `Basic ${Buffer.from(`root:${token}`).toString('base64')}`,
    'Content-Type': 'application/x-git-receive-pack-request',
  }
  const signal = AbortSignal.timeout(patience * 10_000)
  const answer = await fetch(`${url}/root/bombs.git/git-receive-pack`, {
    method: 'POST',
    headers,
    body: new Uint8Array(request),
    signal,
  })
  return `${answer.status} ${await answer.text()}`
}

const accepted = /^200 .*ok refs\/heads\//s
const refused = /^200 .*The push was refused: to unpack it takes .*ng refs\/heads\/\S+ unpacker error/s

/** Pushes bombs beside ordinary work. @returns what is wrong, one sentence each */
export async function runCampaign({
  rounds,
  seconds,
  folder,
  databaseUrl,
  seed,
  tell,
}: BombOptions): Promise<string[]> {
  const settings = { FENNEC_PUSH_UNPACK_SECONDS: String(seconds), FENNEC_GIT_MEMORY_MIB: String(memoryMib) }
  const installation: Installation = {
    data: join(folder, 'data'),
    databaseUrl,
    token: 'a-token-for-the-campaign',
    settings,
  }
  const problems: string[] = []
  const random = numbersFrom(seed)
  const server = await startVictim(installation)
  const { url } = server
  const memory = watchMemory(() => server.pid)
  const state = { work: join(folder, 'work'), token: installation.token, random: numbersFrom(seed), problems }
  const load: Load = { ...state, ledger: openLedger(), url: () => url, isOver: () => false }
  const pieces = [pushes, commits]
  await prepareLoad(load, pieces)
  const client = clientOf(url, installation.token)
  await client.post('/projects', { name: 'bombs' })
  let slowestMs = 0
  let refusals = 0
  let isOver = false
  const working = work({ ...load, isOver: () => isOver }, 'all', pieces)
  const reading = (async () => {
    while (!isOver) {
      const before = performance.now()
      const { status } = await client.get('/projects/root%2Fcampaign/repository/branches')
      if (status !== 200) problems.push(`a read was answered ${status}`)
      slowestMs = Math.max(slowestMs, performance.now() - before)
      await memory.look()
      await sleep(50)
    }
  })()
  for (let round = 1; round <= rounds; round += 1) {
    const bomb = await randomBomb(random)
    const before = performance.now()
    const answer = await pushBomb(url, installation.token, bombRequest(bomb, `bomb-${round}`))
    const isRefused = refused.test(answer)
    if (!isRefused && !accepted.test(answer))
      problems.push(`a bomb was answered ${JSON.stringify(answer.slice(0, 300))}`)
    refusals += Number(isRefused)
    const took = Math.round(performance.now() - before)
    tell(
      `${round} of ${rounds}: ${bomb.pack.length} bytes ${isRefused ? 'refused' : 'accepted'} after ${took} ms, ` +
        `git ${memory.peakMib()} MiB, ${load.ledger.acknowledged()} acknowledged, ${problems.length} problems`,
    )
  }
  isOver = true
  await Promise.all([working, reading])
  if (memory.peakMib() > memoryMib) problems.push(`a git process had ${memory.peakMib()} MiB`)
  if (slowestMs > longestReadMs) problems.push(`a read took ${Math.round(slowestMs)} ms`)
  await compare(load, load.ledger.names())
  await server.stop()
  for (const path of await quarantinesBelow(installation.data)) problems.push(`${path} was left behind`)
  tell(
    `${refusals} of ${rounds} refused; git had at most ${memory.peakMib()} MiB; the slowest read took ${Math.round(slowestMs)} ms`,
  )
  return [...problems, ...(await checkProblems(installation))]
}
