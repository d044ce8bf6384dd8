import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { measureBranchPushes } from '../branch-scenarios.ts'
import { atRest, treeMib } from '../footprint.ts'
import { gitBenchOf, makeProject } from '../git-bench.ts'
import { addBranches, makeRepository } from '../history.ts'
import { startFloor } from '../processes.ts'
import { startBeside } from '../registry/scenarios.ts'
import { measureTransfers as measureImages } from '../registry/transfers.ts'
import { programOf } from '../rivals.ts'
import { measureSlow } from '../slow-scenario.ts'
import { measureSmallPushes } from '../small-push-scenarios.ts'
import type { Result } from '../table.ts'
import { writeComparison } from './document.ts'
import { type Forge, openFennec, openGitea } from './forges.ts'
import { withGoal } from './goals.ts'
import { measureRequests } from './requests.ts'
import { measureStarts } from './starts.ts'
import { measureTransfers } from './transfers.ts'

async function folderIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(path)
  return path
}

/** What a forge holds when it has ended what follows the pushes, in MiB: Fennec packs what was pushed, by git. */
async function memoryAtRest({ server }: Forge): Promise<number> {
  await atRest(server.process.pid)
  return treeMib(server.process.pid)
}

/** @param source a repository of 50 MB */
async function besideGitea(binary: string, fennec: Forge, source: string, folder: string): Promise<Result[]> {
  const gitea = await openGitea(binary, await folderIn(folder, 'gitea'))
  const forges = { fennec, floor: gitea }
  const results = [...(await measureRequests(forges)), ...(await measureTransfers(forges, source, folder))]
  const memory = { fennec: await memoryAtRest(fennec), floor: await memoryAtRest(gitea) }
  await gitea.server.stop()
  return [...results, { name: 'memory after load', ...memory, unit: 'MiB', floorName: 'Gitea' }]
}

async function besideDistribution(binary: string, fennec: Forge, folder: string): Promise<Result[]> {
  const { floor, sidesOf } = await startBeside(fennec.server, binary, join(folder, 'distribution'))
  const root = fennec.open()
  await makeProject(root, 'images')
  const results = await measureImages(sidesOf('images'))
  root.close()
  await floor.stop()
  return results
}

/** Pushes beside what git ships. @param source a repository of 50 MB */
async function besideGit(fennec: Forge, source: string, folder: string): Promise<Result[]> {
  const floorRoot = await folderIn(folder, 'floor')
  await mkdir(join(floorRoot, 'root'))
  const floor = await startFloor('http-backend', [floorRoot])
  const bench = gitBenchOf(fennec.server, floor, { source, folder, floorRoot })
  await addBranches(source, 10_000)
  const results = [...(await measureSmallPushes(bench)), await measureBranchPushes(bench)]
  bench.fennec.close()
  await floor.stop()
  return results
}

/**
 * Fennec beside Gitea, CNCF distribution and git, each pair in turn. `BENCH_GITEA` and `BENCH_DISTRIBUTION` name the programs; without
 * one its rows are left out. With both, `docs/performance.md` and its picture are written.
 */
export async function measureComparison(folder: string): Promise<Result[]> {
  const [gitea, distribution] = [programOf('Gitea'), programOf('distribution')]
  const starts = gitea ? await measureStarts(gitea, await folderIn(folder, 'starts')) : []
  const source = join(folder, 'source.git')
  await makeRepository(source, 20_000, 50 * 1024 * 1024)
  const fennec = await openFennec(join(folder, 'data'))
  const forge = gitea ? await besideGitea(gitea, fennec, source, folder) : []
  const images = distribution ? await besideDistribution(distribution, fennec, folder) : []
  const pushes = await besideGit(fennec, source, folder)
  await fennec.server.stop()
  const beside = [...starts, ...forge, ...images, ...pushes].map(withGoal)
  const alone = await measureSlow(await folderIn(folder, 'slow'))
  if (gitea && distribution) await writeComparison(beside, alone)
  return [...beside, ...alone]
}
