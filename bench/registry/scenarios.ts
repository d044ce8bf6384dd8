import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { caller } from '../caller.ts'
import { residentMib } from '../footprint.ts'
import { makeProject, token } from '../git-bench.ts'
import { answering, type Running, startDistribution, startFennec } from '../processes.ts'
import { programOf } from '../rivals.ts'
import type { Result } from '../table.ts'
import { measureTags } from './tags.ts'
import { floorName, measureTransfers, type Sides } from './transfers.ts'

const credentials = Buffer.from(`root:${token}`).toString('base64')

/** Distribution beside a Fennec. `sidesOf` gives both registries for a repository of root. */
export type Registries = { floor: Running; sidesOf(name: string): Sides }

/**
 * Starts distribution on the same disk. Fennec checks tokens, and a client fetches one for each push and pull;
 * distribution serves everyone.
 * @param binary path of its program `registry`
 * @param folder created for its files
 */
export async function startBeside(server: Running, binary: string, folder: string): Promise<Registries> {
  await mkdir(folder)
  const floor = await startDistribution(binary, folder)
  return {
    floor,
    sidesOf: (name) => ({
      fennec: { url: server.url, name: `root/${name}`, tokenUrl: `${server.url}/jwt/auth`, credentials },
      floor: { url: floor.url, name: `root/${name}` },
    }),
  }
}

/** Container images beside CNCF distribution, whose program `BENCH_DISTRIBUTION` names. */
export async function measureRegistry(folder: string): Promise<Result[]> {
  const binary = programOf('distribution')
  if (binary === undefined) return []
  const server = await startFennec(join(folder, 'data'), token)
  await answering(server, '/api/v4/user', token)
  const { floor, sidesOf } = await startBeside(server, binary, join(folder, 'floor'))
  const fennec = caller(server.url, token)
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
