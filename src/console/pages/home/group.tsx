import { groupsSubgroups, named, notificationTwins, projectsOfGroup } from '../../operations.ts'
import { page } from '../../page.ts'
import { notificationMenu } from '../../parts/notification-menu.tsx'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Groups, Projects } from './lists.tsx'

/** A group: its groups, and the projects at any depth. */
export const groupHome = page({
  at: 'group',
  path: '',
  nav: { section: '', label: 'Group', operation: projectsOfGroup },
  performs: [notificationTwins.group.update],
  async show(visit) {
    const { group, number } = visit
    const [found, below, mayCreate, notifications] = await Promise.all([
      visit.read(projectsOfGroup, {
        ...{ id: group.id, page: number },
        ...{ include_subgroups: true, order_by: 'last_activity_at' },
      }),
      visit.find(groupsSubgroups, { id: group.id }),
      visit.me ? visit.may(named('projects.create'), { namespace_id: group.id }) : false,
      notificationMenu(visit, 'group'),
    ])
    return {
      title: group.name,
      actions: (
        <>
          {group.archived && <span class="tagged">archived</span>}
          {notifications}
          {mayCreate && (
            <a class="button primary" href={`/projects/new?namespace_id=${group.id}`}>
              New project
            </a>
          )}
        </>
      ),
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
            {found.items.length === 0 ? (
              <Empty title="No projects yet.">
                {mayCreate && (
                  <p>
                    <a href={`/projects/new?namespace_id=${group.id}`}>Create the first one</a>, or move one here.
                  </p>
                )}
              </Empty>
            ) : (
              <Projects items={found.items} />
            )}
            <Pages path={visit.path} page={number} of={found} />
          </section>
        </div>
      ),
    }
  },
})
