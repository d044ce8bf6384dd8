import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs, residentMib, treeMib } from './footprint.ts'
import { median, spreadPercentOf } from './measure.ts'
import { answering, type Form, forms, startFennec, startFloor } from './processes.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const rounds = 7

type Start = { ms: number; processorMs: number; residentMib: number; treeMib: number }

/** One start on an empty folder, to the first authorised answer; and the memory once it rests. */
async function startOnce(data: string, form: Form): Promise<Start> {
  const server = await startFennec(data, token, form)
  const { pid } = server.process
  try {
    const ms = await answering(server, '/api/v4/user', token)
    const used = processorMs(pid)
    await sleep(500)
    return { ms, processorMs: used, residentMib: residentMib(pid), treeMib: treeMib(pid) }
  } finally {
    await server.stop()
  }
}

/** The least that a server in Node can take. */
async function startBare(): Promise<number> {
  const startedAt = performance.now()
  const floor = await startFloor('http-backend', ['/'])
  const ms = performance.now() - startedAt
  await floor.stop()
  return ms
}

function resultsOf(form: Form, starts: readonly Start[], bareMs: number): Result[] {
  const of = (figure: keyof Start) => median(starts.map((start) => start[figure]))
  const name = (what: string) => `${what} (${form})`
  const [ms, resident] = [of('ms'), of('residentMib')]
  return [
    {
      name: name('start on an empty folder'),
      fennec: ms,
      unit: 'ms',
      floor: bareMs,
      floorName: 'bare node:http',
      spreadPercent: spreadPercentOf(starts.map((start) => start.ms)),
      budget: '<= 500 ms',
      met: ms <= 500,
    },
    { name: name('fastest of these starts'), fennec: Math.min(...starts.map((start) => start.ms)), unit: 'ms' },
    {
      name: name('processor time of a start'),
      fennec: of('processorMs'),
      unit: 'ms',
      spreadPercent: spreadPercentOf(starts.map((start) => start.processorMs)),
    },
    { name: name('memory at rest, server'), fennec: resident, unit: 'MiB', budget: '<= 120 MiB', met: resident <= 120 },
    { name: name('memory at rest, with the git spawner'), fennec: of('treeMib'), unit: 'MiB' },
  ]
}

/** From the start of the process on an empty folder to the first authorised answer, as source and as built. */
export async function measureStart(folder: string): Promise<Result[]> {
  const starts: Record<Form, Start[]> = { source: [], built: [] }
  const bare: number[] = []
  // Whatever is made once per installation is made now.
  for (const form of forms) await startOnce(join(folder, `first-${form}`), form)
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await startBare())
    for (const form of forms) starts[form].push(await startOnce(join(folder, `${form}-${round}`), form))
  }
  return forms.flatMap((form) => resultsOf(form, starts[form], median(bare)))
}
