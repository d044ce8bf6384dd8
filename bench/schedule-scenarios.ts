import { pino } from 'pino'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { now } from '../src/infra/database/index.ts'
import { tickJob } from '../src/modules/pipeline-schedules/running/running.ts'
import type { Platform } from '../src/platform/index.ts'
import type { Engine } from './engines.ts'
import { median, spreadPercentOf, timed } from './measure.ts'
import type { Result } from './table.ts'

const schedules = 10_000
const rounds = 5
const limitMs = 1_000

/** Schedules of one project, with the expressions that many people choose: hours of the night in some time zones. */
async function insertSchedules({ database, clock }: Platform): Promise<void> {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo']
  const moment = now(clock)
  const rows = Array.from({ length: schedules }, (_, index) => ({
    ...{ project_id: 1, owner_id: 1, description: `schedule ${index}`, ref: 'refs/heads/main', active: true },
    ...{ cron: `${(index % 12) * 5} ${index % 6} * * *`, cron_timezone: zones[index % zones.length] ?? 'UTC' },
    ...{ next_run_at: moment, created_at: moment, updated_at: moment },
  }))
  await database.write(async (tx) => {
    for (let index = 0; index < rows.length; index += 500) {
      const portion = rows.slice(index, index + 500)
      await tx.insertInto('pipeline_schedules').values(portion).execute()
    }
  })
}

/** One tick when all schedules are due; the runs that it stores are not carried out. */
async function tickOnce(platform: Platform): Promise<number> {
  const { database, clock } = platform
  const due = new Date(clock.now().getTime() - 60_000).toISOString()
  await database.write((tx) => tx.updateTable('pipeline_schedules').set({ next_run_at: due }).execute())
  const { ms } = await timed(() => tickJob.run(platform, null, {} as never))
  const left = database.read.selectFrom('pipeline_schedules').select((eb) => eb.fn.countAll().as('count'))
  const { count } = await left.where('next_run_at', '=', due).executeTakeFirstOrThrow()
  if (Number(count) > 0) throw new Error(`${count} schedules are still due`)
  return ms
}

/** A tick of 10,000 due schedules, in this process: the server does not begin one when it is asked. */
export async function measureTick({ name, databaseUrl }: Engine, data: string): Promise<Result> {
  const settings = { FENNEC_DATA: data, FENNEC_DATABASE_URL: databaseUrl, FENNEC_LISTEN: '127.0.0.1:0' }
  const app = await startApp({ config: readConfig(settings), log: pino({ level: 'silent' }) })
  const { platform } = app
  await platform.jobs.stop({ timeoutMs: 10_000 })
  await insertSchedules(platform)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await tickOnce(platform))
  await app.stop()
  const fennec = median(times)
  const budget = `<= ${limitMs} ms`
  const spreadPercent = spreadPercentOf(times)
  return {
    name: `tick of 10,000 due schedules, ${name}`,
    fennec,
    unit: 'ms',
    spreadPercent,
    budget,
    met: fennec <= limitMs,
  }
}
