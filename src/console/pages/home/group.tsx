import { groupsSubgroups, projectsOfGroup } from '../../operations.ts'
import { page } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Groups, Projects } from './lists.tsx'

/** A group: its groups, and the projects at any depth. */
export const groupHome = page({
  at: 'group',
  path: '',
  nav: { section: '', label: 'Group', operation: projectsOfGroup },
  async show(visit) {
    const { group, number } = visit
    const [found, below] = await Promise.all([
      visit.read(projectsOfGroup, {
        ...{ id: group.id, page: number },
        ...{ include_subgroups: true, order_by: 'last_activity_at' },
      }),
      visit.find(groupsSubgroups, { id: group.id }),
    ])
    return {
      title: group.name,
      body: (
        <div>
          {group.description && <p class="lead">{group.description}</p>}
          {below && below.items.length > 0 && (
            <section>
              <h2>Groups</h2>
              <Groups items={below.items} />
            </section>
          )}
          <section>
            <h2>Projects</h2>
            {found.items.length === 0 ? <Empty title="No projects yet." /> : <Projects items={found.items} />}
            <Pages path={visit.path} page={number} of={found} />
          </section>
        </div>
      ),
    }
  },
})
