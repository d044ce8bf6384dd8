import type { Html } from '../../html/index.ts'
import { groupsList, named, projectsList, usersList } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Groups, People, Projects } from './lists.tsx'

/** All projects that the caller may see. */
export const explore = page({
  at: 'instance',
  path: 'explore',
  nav: { section: '', label: 'Explore', operation: projectsList },
  async show(visit) {
    const found = await visit.read(projectsList, { order_by: 'last_activity_at', page: visit.number })
    return {
      title: 'Explore projects',
      body: (
        <div>
          {found.items.length === 0 ? <Empty title="No projects yet." /> : <Projects items={found.items} />}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

function NoGroups({ mayCreate }: { mayCreate: boolean }) {
  return (
    <Empty title="No groups yet.">
      <p>A group holds projects and the people who work on them.</p>
      {mayCreate && (
        <p>
          <a href="/groups/new">Create a group</a>
        </p>
      )}
    </Empty>
  )
}

/** The groups that the caller may see. */
export const groups = page({
  at: 'instance',
  path: 'dashboard/groups',
  nav: { section: '', label: 'Groups', operation: groupsList },
  async show(visit) {
    const [found, mayCreate] = await Promise.all([
      visit.read(groupsList, { page: visit.number }),
      visit.me ? visit.may(named('groups.create'), {}) : false,
    ])
    return {
      title: 'Groups',
      actions: mayCreate && (
        <>
          <a class="button" href="/-/groups/import">
            Import
          </a>
          <a class="button primary" href="/groups/new">
            New group
          </a>
        </>
      ),
      body: (
        <div>
          {found.items.length === 0 ? <NoGroups mayCreate={mayCreate} /> : <Groups items={found.items} />}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

/** The parts of the result of a search: each is shown when it has found something. */
const longestPart = 10

/** Projects, groups and people whose names contain a text. */
export async function showNames(visit: Visit): Promise<Html> {
  const { search = '' } = visit.query
  if (search === '') return <Empty title="Enter a part of a name above." />
  const asked = { search, per_page: longestPart }
  const [projects, groups, people] = await Promise.all([
    visit.read(projectsList, { search, search_namespaces: true, page: visit.number }),
    visit.find(groupsList, asked),
    visit.find(usersList, asked),
  ])
  const isEmpty = [projects, groups, people].every((found) => !found || found.items.length === 0)
  if (isEmpty) return <Empty title="Nothing was found." />
  return (
    <div>
      {projects.items.length > 0 && (
        <section>
          <h2>Projects</h2>
          <Projects items={projects.items} />
          <Pages path={visit.path} page={visit.number} of={projects} />
        </section>
      )}
      {groups && groups.items.length > 0 && (
        <section>
          <h2>Groups</h2>
          <Groups items={groups.items} />
        </section>
      )}
      {people && people.items.length > 0 && (
        <section>
          <h2>People</h2>
          <People items={people.items} />
        </section>
      )}
    </div>
  )
}
