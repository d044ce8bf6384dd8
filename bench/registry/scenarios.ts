import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { caller } from '../caller.ts'
import { residentMib } from '../footprint.ts'
import { makeProject, token } from '../git-bench.ts'
import { answering, startDistribution, startFennec } from '../processes.ts'
import type { Result } from '../table.ts'
import { measureTags } from './tags.ts'
import { floorName, measureTransfers, type Sides } from './transfers.ts'

const variable = 'BENCH_DISTRIBUTION'
const credentials = Buffer.from(`root:${token}`).toString('base64')

/**
 * Container images beside CNCF distribution on the same disk, whose program `BENCH_DISTRIBUTION` names. Fennec checks
 * tokens, and a client fetches one for each push and pull; distribution serves everyone.
 */
export async function measureRegistry(folder: string): Promise<Result[]> {
  const binary = process.env[variable]
  if (!binary || !existsSync(binary)) {
    process.stdout.write(
      `registry: skipped, because ${variable} does not name the program "registry" of distribution.\n`,
    )
    return []
  }
  const server = await startFennec(join(folder, 'data'), token)
  await answering(server, '/api/v4/user', token)
  const floorFolder = join(folder, 'floor')
  await mkdir(floorFolder)
  const floor = await startDistribution(binary, floorFolder)
  const fennec = caller(server.url, token)
  const sidesOf = (name: string): Sides => ({
    fennec: { url: server.url, name: `root/${name}`, tokenUrl: `${server.url}/jwt/auth`, credentials },
    floor: { url: floor.url, name: `root/${name}` },
  })
  await makeProject(fennec, 'images')
  const transfers = await measureTransfers(sidesOf('images'))
  const tagged = await makeProject(fennec, 'tagged')
  const tags = await measureTags(sidesOf('tagged'), fennec, tagged)
  const resident = { fennec: residentMib(server.process.pid), floor: residentMib(floor.process.pid) }
  fennec.close()
  await floor.stop()
  await server.stop()
  return [...transfers, ...tags, { name: 'memory after these, server', ...resident, unit: 'MiB', floorName }]
}
