import { applicationStatistics } from '../../operations.ts'
import { page } from '../../page.ts'
import { Bars } from '../../parts/plots.tsx'
import { words } from '../../parts/words.ts'

/** What the instance holds, by kind. */
export const administration = page({
  at: 'instance',
  path: 'admin',
  nav: { section: 'Instance', label: 'Overview', operation: applicationStatistics },
  async show(visit) {
    const counts = await visit.read(applicationStatistics, {})
    const pairs = Object.entries(counts).map(
      ([name, count]) => [words(name), Number(String(count).replaceAll(',', ''))] as const,
    )
    return { title: 'Administration', body: <Bars label="Objects of the instance" counts={pairs} /> }
  },
})
