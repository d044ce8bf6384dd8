import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure } from '../failed.ts'
import type { CampaignOptions } from '../part.ts'
import { holdsIn, openStage, playRounds, readinessOf, type Stage } from '../stage.ts'
import { gitProcessesOf, killAtOnce, spawnerOf } from './processes.ts'

/** `deaths`: the most processes that are killed in a round. */
type SpawnerOptions = CampaignOptions & { deaths: number }

/** In these rounds the spawner dies so often that it is restarted with a delay. */
const isStormy = (round: number) => round % 10 === 0
const stormDeaths = 30
/** The longest delay of a restart is 30 s. */
const returnMs = 60_000

/** The API says 503, and a push or clone breaks off or says so. */
const belongsToFault = ({ status, text }: Failure) => status === 503 || (status === 0 && !text.includes('error: 500'))

async function killSome({ server, random }: Stage, deaths: number): Promise<string> {
  let spawners = 0
  let git = 0
  for (let count = 0; count < 1 + random() * deaths; count += 1) {
    await sleep(random() * 200)
    const isSpawner = random() < 0.3
    const spawner = spawnerOf(server().pid)
    const others = gitProcessesOf(server().pid)
    const doomed = isSpawner ? spawner : others[Math.floor(random() * others.length)]
    if (doomed === undefined) continue
    killAtOnce(doomed)
    if (isSpawner) spawners += 1
    else git += 1
  }
  return `${spawners} spawners and ${git} git processes killed`
}

/** Kills each new spawner until it is restarted with a delay: readiness must say 503 then. */
async function storm({ server, problems }: Stage): Promise<string> {
  for (let count = 0; count < stormDeaths; count += 1) {
    const found = await holdsIn(3_000, async () => spawnerOf(server().pid) !== undefined)
    if (!found) break
    killAtOnce(spawnerOf(server().pid) ?? 0)
  }
  const { pid } = server()
  await holdsIn(1_000, async () => spawnerOf(pid) === undefined)
  const status = await readinessOf(server())
  if (spawnerOf(pid) === undefined && status !== 503) problems.push(`without a spawner readiness says ${status}`)
  return 'a storm of deaths'
}

/**
 * Kills the process that owns the git processes, and git processes, at random under load: what was acknowledged stays, the readiness
 * probe tells the truth, and the server works again by itself.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: SpawnerOptions): Promise<string[]> {
  const stage = openStage(options)
  await stage.start()
  return playRounds(stage, options, async (round) => {
    let what = ''
    const play = async () => {
      what = isStormy(round) ? await storm(stage) : await killSome(stage, options.deaths)
    }
    await stage.during(String(round), play, belongsToFault)
    if (!(await holdsIn(returnMs, async () => (await readinessOf(stage.server())) === 200))) {
      stage.problems.push(`round ${round}: the server is not ready a minute after the last death`)
    }
    await stage.calmly(String(round), 5)
    return what
  })
}
