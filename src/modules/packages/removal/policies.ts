import { now } from '../../../infra/database/index.ts'
import { forEachOf } from '../../../infra/files/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { claimPackagesRun, duePackagesPolicies, projectById, refusesWrites } from '../../projects/index.ts'
import { hasPackages } from '../access/rights.ts'
import { addSize, lockPackage, packagesAfter, renewGeneration } from '../core/store.ts'
import { deleteFiles, filesByIds, type StoredFile, surplusFiles } from '../files/store.ts'

const periodSeconds = 300
/** Policies that are claimed between two looks for due ones. */
const claimedAtOnce = 100
const packagesAtOnce = 200
/** Files that one transaction deletes. */
const filesAtOnce = 500

/** Deletes files of one package. */
async function deleteSurplus({ database, clock }: Platform, packageId: number, files: readonly StoredFile[]) {
  await database.write(async (tx) => {
    const held = await lockPackage(tx, packageId)
    if (!held) return
    const present = await filesByIds(
      tx,
      files.map(({ id }) => id),
    )
    if (present.length === 0) return
    await deleteFiles(tx, present, now(clock))
    await addSize(tx, packageId, -present.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0), now(clock))
    await renewGeneration(tx, held)
  })
}

/** Keeps the newest files of each name in the packages of a project (contract 23 R8). */
async function cleanProject(platform: Platform, projectId: number, keep: number, signal: AbortSignal): Promise<void> {
  const { read } = platform.database
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const project = await projectById(read, projectId)
    if (!project || project.pending_delete || refusesWrites(project) || !hasPackages(project)) return
    const ids = (await packagesAfter(read, projectId, { after, limit: packagesAtOnce })).map(({ id }) => id)
    const surplus = await surplusFiles(read, ids, { keep, limit: filesAtOnce })
    for (const [packageId, files] of Map.groupBy(surplus, ({ package_id: id }) => id)) {
      await deleteSurplus(platform, packageId, files)
    }
    // The same packages again while more may be left.
    if (surplus.length === filesAtOnce) continue
    if (ids.length < packagesAtOnce) return
    after = ids.at(-1) ?? after
  }
}

/** Runs the policy of a project if it is due. */
async function runPolicy(platform: Platform, projectId: number, signal: AbortSignal): Promise<void> {
  const keep = await platform.database.write((tx) => claimPackagesRun(tx, projectId, now(platform.clock)))
  if (keep !== null) await cleanProject(platform, projectId, keep, signal)
}

/** Runs the policies for packages that are due, each once however many processes look for them. */
export const runPackagesPoliciesJob: Job<null> = {
  kind: 'packages.run_policies',
  queue: 'removal',
  every: { seconds: periodSeconds },
  async run(platform, _, { signal }) {
    const { package_registry_cleanup_policies_worker_capacity: capacity } = await platform.settings.current()
    if (capacity === 0 || !platform.config.packagesEnabled) return
    const { database, clock } = platform
    for (;;) {
      const due = await duePackagesPolicies(database.read, now(clock), claimedAtOnce)
      await forEachOf(due, capacity, (projectId) => runPolicy(platform, projectId, signal))
      if (due.length < claimedAtOnce) return
    }
  },
}
