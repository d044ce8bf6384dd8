import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Failure } from '../failed.ts'
import type { CampaignOptions } from '../part.ts'
import { holdsIn, openStage, playRounds, type Stage } from '../stage.ts'
import { withDatabase } from '../tree/remains.ts'
import { pieces } from '../workload/index.ts'
import { jobs } from '../workload/jobs.ts'

/** `days`: the furthest that the clock leaps. */
type ClockOptions = CampaignOptions & { days: number }

const dayMs = 86_400_000
/** How long due jobs may take after the clock is right again. */
const settleMs = 60_000

/** A token for images that was issued before the leap is over, or not valid yet; clients ask for another one. */
const belongsToFault = ({ status }: Failure) => status === 401

/** Jobs and recurring jobs that wait for a time that only a wrong clock could name. */
async function strandedJobs({ installation }: Stage): Promise<string[]> {
  const late = new Date(Date.now() + 2 * dayMs).toISOString()
  return withDatabase(installation, async (query) => {
    const waiting = await query(`select kind from jobs where state = 'pending' and run_at > '${late}'`)
    const leased = await query(`select kind from jobs where state = 'running' and lease_until > '${late}'`)
    const recurring = await query(
      `select name from recurring_jobs where next_run_at > '${late}' and every_seconds <= 86400`,
    )
    return [
      ...waiting.map(({ kind }) => `a job ${kind} waits for a year`),
      ...leased.map(({ kind }) => `a job ${kind} is leased for a year`),
      ...recurring.map(({ name }) => `the recurring job ${name} waits for a year`),
    ]
  })
}

/**
 * The clock leaps ahead by up to a year and back in the midst of work, and the server is restarted in between now and then: clients work
 * on, and no job waits for a time that only the wrong clock named.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: ClockOptions): Promise<string[]> {
  const { folder, days } = options
  const clock = join(folder, 'clock')
  await writeFile(clock, '0')
  const settings = {
    NODE_OPTIONS: `--import ${new URL('leaping.mjs', import.meta.url).href}`,
    CAMPAIGN_CLOCK: clock,
  }
  // A job of a runner that takes a year is ended, as it should be.
  const stage = openStage({ ...options, settings, among: pieces.filter((piece) => piece !== jobs) })
  const leap = async (offsetMs: number) => {
    await writeFile(clock, String(offsetMs))
    process.kill(stage.server().pid, 'SIGUSR2')
  }
  const restart = async () => {
    await stage.server().kill()
    await stage.start()
  }
  await stage.start()
  return playRounds(stage, options, async (round) => {
    const { random, problems } = stage
    const aheadDays = Math.ceil(random() * days)
    const isRestarted = random() < 0.5
    await stage.during(`${round}a`, () => leap(aheadDays * dayMs), belongsToFault)
    await stage.calmly(`${round}a`, 10)
    if (isRestarted) await restart()
    await stage.calmly(`${round}b`, 5)
    await stage.during(`${round}b`, () => leap(0), belongsToFault)
    if (isRestarted) await restart()
    await stage.calmly(`${round}d`, 10)
    if (!(await holdsIn(settleMs, async () => (await strandedJobs(stage)).length === 0))) {
      problems.push(...(await strandedJobs(stage)))
    }
    return `${aheadDays} days ahead and back${isRestarted ? ', restarted' : ''}`
  })
}
