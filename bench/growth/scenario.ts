import { join } from 'node:path'
import { startEngine } from '../engines.ts'
import type { Result } from '../table.ts'
import { type Measured, measure } from './measure.ts'
import { requestsOf } from './requests.ts'
import { type SizeName, sizes } from './size.ts'
import { openWorld } from './world.ts'

const goal = 3
/** Smaller differences are within what repeated runs differ by. */
const leastMs = 3

/** The lists of the instance, of its focal project and of its focal group, without filters. */
const isPlain = ({ path }: { path: string }) => !path.includes('?')

/** The defaults of all lists in a small and in a medium instance; `npm run bench:growth` has all filters and the large one. */
export async function measureGrowth(folder: string): Promise<Result[]> {
  const engine = await startEngine(folder)
  const server = engine.name === 'PostgreSQL' ? engine.databaseUrl : undefined
  const measuredIn = async (name: SizeName): Promise<Measured[]> => {
    const world = await openWorld(join(folder, name), name, server)
    const measured = await measure(world, requestsOf(sizes[name]).requests.filter(isPlain))
    await world.stop()
    return measured
  }
  const small = await measuredIn('small')
  const medium = await measuredIn('medium')
  await engine.stop()
  return medium.flatMap(({ who, path, ms, status }, index) => {
    const { ms: floor, status: other } = small[index] ?? { ms: 0 }
    if (status || other) return []
    const met = ms <= goal * floor || ms - floor < leastMs
    const name = `${path} as ${who}, ${engine.name}`
    return [{ name, fennec: ms, unit: 'ms', floor, floorName: 'of 1,000', budget: `<= ${goal}x`, met } as const]
  })
}
