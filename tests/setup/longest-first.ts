import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take ten seconds or more. Started last, one would be waited for while the other processes have nothing to do. */
const longest = [
  'tests/browser/crawl.test.ts',
  'tests/published.test.ts',
  'tests/import.test.ts',
  'src/demo/demo.test.ts',
  'tests/promotion.test.ts',
  'tests/command-line.test.ts',
  'src/infra/git/maintenance/optimize.test.ts',
  'tests/browser/large.test.ts',
  'tests/browser/flows/accounts.test.ts',
  'tests/browser/flows/code.test.ts',
  'tests/browser/flows/delivery.test.ts',
  'tests/transfer-ends.test.ts',
  'src/modules/mirrors/pull/run.test.ts',
  'src/modules/snippets/repository/git.test.ts',
  'src/modules/merge-requests/merging/merging.test.ts',
  'src/modules/protected-branches/gate/agreement.test.ts',
  'tests/deleted-once.test.ts',
  'tests/ended-rights/ended-rights.test.ts',
  'tests/transport-matrix.test.ts',
  'tests/reading-hostile-contents.test.ts',
  'src/modules/git-transport/http/starvation.test.ts',
  'tests/access-matrix.test.ts',
  'tests/hostile-input.test.ts',
  'tests/backup.test.ts',
  'tests/crash-campaign.test.ts',
  'tests/hostile-shapes.test.ts',
  'tests/image-campaign.test.ts',
  'tests/merge-crash.test.ts',
  'tests/move-campaign.test.ts',
  'tests/postgres-faults.test.ts',
  'tests/several-processes.test.ts',
  'tests/workers.test.ts',
  'src/infra/git/transport/idle-clients.test.ts',
]

/**
 * Runs one engine after the other, and of each the longest files first; the others in the order of Vitest, which goes by the size of a
 * file when it has no durations.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longest.some((file) => moduleId.endsWith(file))
    // A process ends where the next file is for the other engine. The first in the order of Vitest stays the first.
    const engines = [...new Set(ordered.map(({ project }) => project))]
    return engines.flatMap((engine) => {
      const own = ordered.filter(({ project }) => project === engine)
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}
