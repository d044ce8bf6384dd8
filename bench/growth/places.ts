import { type Rows, seededPath, type World } from './rows.ts'
import { first, type Size } from './size.ts'

const levels = 5

type Level = { from: number; count: number }

/** The groups of each level: a twentieth is at the top, and as many on each of the four levels below. */
function levelsOf({ groups }: Size): Level[] {
  const top = Math.max(1, Math.floor(groups / 20))
  const below = Math.floor((groups - top) / (levels - 1))
  const rest = groups - top - below * (levels - 2)
  return [
    { from: 0, count: top },
    ...[0, 1, 2, 3].map((level) => ({ from: top + level * below, count: level === 3 ? rest - 0 : below })),
  ].map(({ from, count }, index) => ({ from, count: index === levels - 1 ? groups - from : count }))
}

/** How many groups a level of the focal tree is spread over: so many of the first of each level have every second one in it. */
const focalRank = ({ own }: World) => levelsOf(own)[1]?.count ?? 0

/**
 * The group of a project, by its distance from the first one. Where the instance grew around the focal group, the groups below it have
 * as many projects as before: further ones are in the groups after them.
 */
function aHome(world: World): string {
  const { size, own } = world
  const { groups } = size
  if (size === own) return `i % ${groups}`
  const [top, below] = levelsOf(size) as [Level, Level]
  const perGroup = Math.floor(own.projects / own.groups)
  const isFocal = `(i % ${groups} + ${below.count - top.count}) % ${below.count} < ${focalRank(world) + 5}`
  return `case when i > ${perGroup * groups} and ${isFocal} then (i + ${focalRank(world) + 5}) % ${groups} else i % ${groups} end`
}

/** The groups of the person: the first ones, which are at the top. Where the instance grew, few of them are, as before. */
function aGroupOfPerson({ size, own, group }: World): string {
  const top = levelsOf(own)[0]?.count ?? 0
  if (size === own) return `${group} + i`
  return `${group} + case when i <= ${Math.ceil((top * own.projects) / size.projects)} then i else ${size.groups} - i end`
}

function groupLevel(world: World, level: number): Rows {
  const { size, times, group } = world
  const all = levelsOf(size)
  const { from, count } = all[level] as Level
  const above = all[level - 1]
  const number = `(${from} + i)`
  const visibility = `case when ${number} % 10 = 0 or ${number} = 1 then 'public' when ${number} % 10 = 3 then 'internal' else 'private' end`
  const own = {
    ...{ id: `${group - 1} + ${number}`, kind: `'group'`, name: `'Group ' || ${number}`, path: `'group' || ${number}` },
    ...{ visibility, ...times },
  }
  if (!above) {
    const paths = { full_path: `'group' || ${number}`, full_name: `'Group ' || ${number}` }
    return { table: 'namespaces', count, columns: { ...own, ...paths } }
  }
  // Half of the second level is in the first group; below, one is in each.
  const parent =
    level === 1
      ? `case when i % 2 = 0 and i <= ${focalRank(world)} then 1 else 1 + i % ${above.count} end`
      : `${above.from} + 1 + i % ${above.count}`
  return {
    table: 'namespaces',
    count,
    columns: {
      ...own,
      parent_id: 'p.id',
      full_path: `p.full_path || '/group' || ${number}`,
      full_name: `p.full_name || ' / Group ' || ${number}`,
    },
    more: `cross join namespaces p where p.id = ${group - 1} + ${parent}`,
  }
}

const ancestors = (kind: string, least: string): Rows => ({
  table: 'namespace_ancestors',
  count: 1,
  columns: { namespace_id: 's.id', ancestor_id: 's.id', depth: '0' },
  more: `cross join namespaces s where s.kind = '${kind}' and s.id > ${least}`,
})

/** The rows of `namespace_ancestors` at this distance. */
const ancestorsAt = (depth: number): Rows => ({
  table: 'namespace_ancestors',
  count: 1,
  columns: { namespace_id: 's.id', ancestor_id: 'a.ancestor_id', depth: `${depth}` },
  more: `cross join namespaces s join namespace_ancestors a on a.namespace_id = s.parent_id and a.depth = ${depth - 1}
    where s.parent_id is not null`,
})

/** Groups, projects, their routes, members and shares. */
export function places(world: World): Rows[] {
  const { size, own, at, times, made, person, group, project } = world
  const { users, groups, projects, members, ofPerson, groupsOfPerson } = size
  const { each } = own
  const id = `${first} + i`
  const home = `case when i = 1 or i % 100 = 1 and i <= ${own.projects} then ${group}
    when i % 10 = 0 and i <= ${10 * ofPerson} then ${person}
    when i % 10 = 0 then ${first} + 1 + i % ${users}
    else ${group} + ${aHome(world)} end`
  const shares = Math.min(each, 300)
  const perProject = Math.ceil(members / projects)
  const byProject = `case when i <= ${projects} then ${id} else ${project} + i % ${projects} end`
  return [
    {
      table: 'namespaces',
      count: users,
      columns: {
        ...{ id, kind: `'user'`, name: `'Person ' || i`, path: `'user' || i`, full_path: `'user' || i` },
        ...{ full_name: `'Person ' || i`, owner_id: id, visibility: `'public'`, ...times },
      },
    },
    ...[0, 1, 2, 3, 4].map((level) => groupLevel(world, level)),
    ancestors('user', `${first}`),
    ancestors('group', `${first}`),
    ...[1, 2, 3, 4].map(ancestorsAt),
    {
      table: 'projects',
      count: projects,
      columns: {
        ...{
          id,
          namespace_id: 'place.id',
          name: `'Project ' || i`,
          path: `'project' || i`,
          full_path: `place.full_path || '/project' || i`,
        },
        description: `'Holds the sources of service ' || i || case when i % 5000 = 1 then ' needle' else '' end`,
        visibility: `case when i % 100 = 0 then 'public' when i % 100 = 2 then 'internal' else 'private' end`,
        ...{ creator_id: `${first} + 1 + i % ${users}`, archived: 'i % 50 = 7', star_count: 'i % 13' },
        forked_from_id: `case when i % 97 = 3 and i <= ${own.projects} then ${project} end`,
        import_url: `case when i % 200 = 9 then 'https://example.com/x.git' end`,
        marked_for_deletion_on: `case when i % 5000 = 4999 then date('2026-11-01') end`,
        default_branch: `'main'`,
        ...{
          last_activity_at: at(`(i * 31) % ${projects}`),
          created_at: at('i'),
          updated_at: at(`(i * 17) % ${projects}`),
        },
      },
      more: `cross join namespaces place where place.id = ${home}`,
    },
    {
      table: 'routes',
      count: 1,
      columns: { path_key: 'lower(s.full_path)', namespace_id: 's.id' },
      more: `cross join namespaces s where s.id > ${first}`,
    },
    {
      table: 'routes',
      count: 1,
      columns: { path_key: 'lower(s.full_path)', project_id: 's.id' },
      more: `cross join projects s where s.id > ${first}`,
    },
    {
      table: 'repositories',
      count: projects,
      columns: {
        ...{
          project_id: id,
          kind: `'project'`,
          storage: `'default'`,
          disk_path: seededPath(world, 'project'),
          size_bytes: `(i * 7919) % 1000003`,
        },
        ...made,
      },
    },
    // Each project has a few members.
    {
      table: 'members',
      count: projects * perProject,
      columns: {
        ...{ project_id: `${project} + i % ${projects}`, access_level: `10 + i % 4 * 10`, created_at: at('i') },
        user_id: `${first} + 3 + (i % ${projects} * 31 + i / ${projects} * 17) % ${users - 3}`,
      },
      more: `where i % ${projects} > 0`,
    },
    {
      table: 'members',
      count: each,
      columns: {
        project_id: `${project}`,
        user_id: id,
        access_level: `case when i = 1 then 50 else 10 + i % 4 * 10 end`,
        ...made,
      },
      more: `where i <= ${users}`,
    },
    {
      table: 'members',
      count: each,
      columns: {
        namespace_id: `${group}`,
        user_id: id,
        access_level: `case when i = 1 then 50 else 10 + i % 4 * 10 end`,
        ...made,
      },
      more: `where i <= ${users} and i <> 2`,
    },
    {
      table: 'members',
      count: ofPerson,
      columns: { project_id: `${project} + i`, user_id: `${person}`, access_level: '10 + i % 5 * 10', ...made },
      more: `where i < ${projects}`,
    },
    {
      table: 'members',
      count: groupsOfPerson,
      columns: { namespace_id: aGroupOfPerson(world), user_id: `${person}`, access_level: '10 + i % 5 * 10', ...made },
      more: `where i < ${groups}`,
    },
    {
      table: 'group_links',
      count: shares,
      columns: { group_id: `${group}`, project_id: `${project} + i * 3`, access_level: '20', ...made },
      more: `where i * 3 < ${projects}`,
    },
    {
      table: 'group_links',
      count: Math.min(shares, groups - 1),
      columns: { group_id: `${group} + i`, project_id: `${project}`, access_level: '20', ...made },
    },
    {
      table: 'group_links',
      count: Math.min(shares, groups - 1),
      columns: { group_id: `${group} + i`, namespace_id: `${group}`, access_level: '20', ...made },
      more: `where i % 3 = 0`,
    },
    {
      table: 'topics',
      count: size.each,
      columns: {
        ...{
          name: `'topic' || i`,
          folded_name: `'topic' || i`,
          title: `'Topic ' || i`,
          total_projects_count: `i % 40`,
          ...times,
        },
      },
    },
    {
      table: 'project_topics',
      count: projects,
      columns: { project_id: id, topic_id: `1 + i % ${size.each}`, position: '0' },
    },
    {
      table: 'project_stars',
      count: Math.min(projects, 20 * size.each),
      columns: {
        project_id: id,
        user_id: `case when i <= ${each} then ${person} else ${person} + i % ${users} end`,
        ...made,
      },
    },
    {
      table: 'project_stars',
      count: each,
      columns: { project_id: `${project}`, user_id: `${person} + i`, ...made },
      more: `where i < ${users}`,
    },
    // Their events are filled before.
    {
      table: 'contributions',
      count: 1,
      columns: { user_id: 's.author_id', project_id: 's.project_id' },
      more: `cross join (select distinct e.author_id, e.project_id from events e
        join projects p on p.id = e.project_id where e.author_id is not null) s`,
    },
    {
      table: 'project_languages',
      count: projects,
      columns: {
        project_id: byProject,
        name: `case when i % 10 = 0 then 'Ruby' else 'TypeScript' end`,
        size_bytes: '1000',
      },
      more: `where i <= ${projects}`,
    },
    ...['project', 'group'].flatMap((kind): Rows[] => {
      const of: Record<string, string> =
        kind === 'project' ? { project_id: `${project}` } : { namespace_id: `${group}` }
      return [
        {
          table: 'access_requests',
          count: each,
          columns: { ...of, user_id: `${first} + ${users} - i`, ...made },
          more: `where i < ${users} / 2`,
        },
        {
          table: 'invitations',
          count: each,
          columns: {
            ...{ ...of, email: `'guest' || i || '@example.com'`, folded_email: `'guest' || i || '@example.com'` },
            ...{ access_level: '20', token: `'${kind}' || i`, ...made },
          },
        },
      ]
    }),
  ]
}
