import type { Html } from '../../html/index.ts'
import type { eventsList, groupsList, ItemOf, projectsList, usersList } from '../../operations.ts'
import { Avatar, Icon, Time, Title } from '../../parts/parts.tsx'

/** What lists show of a project. */
export type ListedProject = Pick<
  ItemOf<typeof projectsList>,
  'name' | 'namespace' | 'path_with_namespace' | 'description' | 'visibility' | 'star_count' | 'last_activity_at'
>

/** Rows of projects, as all lists of projects have them. */
export function Projects({ items }: { items: readonly ListedProject[] }): Html {
  return (
    <ul class="rows">
      {items.map((project) => (
        <li>
          <Avatar name={project.name} square />
          <div class="grow">
            <a class="strong" href={`/${project.path_with_namespace}`} data-project={project.path_with_namespace}>
              <span class="soft">{project.namespace.full_path} / </span>
              {project.name}
            </a>
            {project.description && <p class="sub">{project.description}</p>}
          </div>
          {project.visibility === 'private' && <Icon name="lock" label="Private" />}
          <span class="meta">
            <Icon name="star" label="Stars" />
            {project.star_count}
          </span>
          <span class="meta when">
            <Time at={project.last_activity_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Rows of groups. */
export function Groups({ items }: { items: readonly ItemOf<typeof groupsList>[] }): Html {
  return (
    <ul class="rows">
      {items.map((group) => (
        <li>
          <Avatar name={group.name} square />
          <div class="grow">
            <a class="strong" href={`/${group.full_path}`} data-group={group.full_path}>
              {group.full_path}
            </a>
            {group.description && <p class="sub">{group.description}</p>}
          </div>
          {group.visibility === 'private' && <Icon name="lock" label="Private" />}
        </li>
      ))}
    </ul>
  )
}

/** Rows of people. */
export function People({ items }: { items: readonly ItemOf<typeof usersList>[] }): Html {
  return (
    <ul class="rows">
      {items.map(({ name, username }) => (
        <li>
          <Avatar name={name} />
          <div class="grow">
            <a class="strong" href={`/${username}`} data-user={username}>
              {name}
            </a>
            <p class="sub">@{username}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

type Event = ItemOf<typeof eventsList>

/** Types of targets in words. A comment is named by what it is on. */
const targets: Readonly<Record<string, string>> = {
  DiffNote: '',
  DiscussionNote: '',
  MergeRequest: 'merge request',
  Note: '',
  WikiPage: 'wiki page',
}

function Target({ event: { push_data: push, target_type: type } }: { event: Event }) {
  if (push?.ref) return <code>{push.ref}</code>
  // Projects are created, joined and left without a target.
  if (!type) return <>a project</>
  return <>{targets[type] ?? type.toLowerCase()}</>
}

/** Activities, newest first. */
export function Activity({ events }: { events: readonly Event[] }): Html {
  return (
    <ul class="activity">
      {events.map((event) => (
        <li>
          {event.action_name} <Target event={event} />{' '}
          <span class="soft">
            <Title text={event.target_title ?? event.push_data?.commit_title ?? ''} />
          </span>{' '}
          <span class="soft when">
            <Time at={event.created_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
