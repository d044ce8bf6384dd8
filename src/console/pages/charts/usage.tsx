import { projectsGet, projectsUpdate } from '../../operations.ts'
import { page } from '../../page.ts'
import { Empty } from '../../parts/parts.tsx'
import { Bars } from '../../parts/plots.tsx'
import { size, words } from '../../parts/words.ts'

/** What the project stores, by kind. */
export const usage = page({
  at: 'project',
  path: 'usage_quotas',
  nav: { section: 'Settings', label: 'Storage', operation: projectsUpdate },
  async show(visit) {
    const { statistics } = await visit.read(projectsGet, { id: visit.project.id, statistics: true })
    const sizes = Object.entries(statistics ?? {}).filter(([name]) => name.endsWith('_size') && name !== 'storage_size')
    return {
      title: 'Storage',
      body:
        sizes.length === 0 ? (
          <Empty title="Only members see how much the project stores." />
        ) : (
          <div>
            <p class="lead">{size(statistics?.storage_size ?? 0)}, and the images of the registry.</p>
            <Bars
              label="Storage by kind"
              counts={sizes.map(([name, bytes]) => [words(name.replace(/_size$/, '')), bytes])}
              shown={size}
            />
          </div>
        ),
    }
  },
})
