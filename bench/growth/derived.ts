/** What triggers keep while rows change, computed once for rows that were inserted without them. */

/** Records all users who have no project. */
export const recordWithoutProjects = `insert into users_perhaps_without_projects (user_id)
  select u.id from users u
  where not exists (select 1 from members m where m.user_id = u.id and m.project_id is not null)
    and not exists (select 1 from namespaces n join projects p on p.namespace_id = n.id where n.owner_id = u.id)`

/** Sums the sizes of all projects, of which none has a row. */
export const sumSizes = `insert into project_sizes
    (project_id, repository_bytes, wiki_bytes, lfs_bytes, snippet_bytes, upload_bytes, package_bytes)
  select p.id, coalesce(code.size_bytes, 0), coalesce(wiki.size_bytes, 0),
    coalesce((select sum(o.size_bytes) from lfs_objects_projects l join lfs_objects o on o.id = l.object_id
      where l.project_id = p.id), 0),
    coalesce((select sum(r.size_bytes) from snippets s join repositories r on r.snippet_id = s.id
      where s.project_id = p.id), 0),
    coalesce((select sum(u.size_bytes) from uploads u where u.project_id = p.id), 0),
    coalesce((select sum(k.size_bytes) from packages k where k.project_id = p.id and k.status <> 'pending_destruction'), 0)
  from projects p
  left join repositories code on code.project_id = p.id and code.kind = 'project'
  left join repositories wiki on wiki.project_id = p.id and wiki.kind = 'wiki'`

const sizes = 'repository_bytes, wiki_bytes, lfs_bytes, snippet_bytes, upload_bytes, package_bytes'
const sums = ['projects', ...sizes.split(', ')].map((column) => `cast(coalesce(sum(${column}), 0) as bigint)`)

/** Counts all that there is: the parts, then the users of each namespace, then the totals. */
export const countEverything: readonly string[] = [
  'delete from namespace_parts',
  'delete from namespace_users',
  'delete from namespace_totals',
  `insert into namespace_parts (source, source_id, namespace_id, projects, repository_bytes, wiki_bytes)
    select 'project', p.id, p.namespace_id, 1,
      (select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'project'),
      (select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'wiki')
    from projects p where p.pending_delete = false`,
  ...[
    ['lfs', 'lfs_bytes', 'r', 'lfs_objects_projects r join lfs_objects b on b.id = r.object_id'],
    ['snippets', 'snippet_bytes', 'r', 'snippets r join repositories b on b.snippet_id = r.id'],
    ['uploads', 'upload_bytes', 'b', 'uploads b'],
    [
      'packages',
      'package_bytes',
      'b',
      "(select project_id, size_bytes from packages where status <> 'pending_destruction') b",
    ],
  ].map(
    ([source, column, owner, rows]) => `insert into namespace_parts (source, source_id, namespace_id, ${column})
      select '${source}', p.id, p.namespace_id, found.bytes
      from (select ${owner}.project_id, sum(b.size_bytes) as bytes from ${rows}
        where ${owner}.project_id is not null group by ${owner}.project_id) found
      join projects p on p.id = found.project_id where p.pending_delete = false`,
  ),
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places)
    select 'member', m.id, m.namespace_id, m.user_id, 1, 1 from members m where m.namespace_id is not null`,
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places)
    select 'member', m.id, p.namespace_id, m.user_id, 0, 1 from members m join projects p on p.id = m.project_id`,
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places, upload_bytes)
    select 'namespace', n.id, n.id, n.owner_id, 0, case when n.owner_id is null then 0 else 1 end,
      (select sum(u.size_bytes) from uploads u where u.namespace_id = n.id) from namespaces n`,
  `insert into namespace_users (namespace_id, user_id, in_groups, in_places, is_billable)
    select found.ancestor_id, found.user_id, found.in_groups, found.in_places, u.bot_kind is null and u.state = 'active'
    from (select a.ancestor_id, p.user_id, sum(p.in_groups) as in_groups, sum(p.in_places) as in_places
      from namespace_parts p join namespace_ancestors a on a.namespace_id = p.namespace_id
      where p.user_id is not null group by a.ancestor_id, p.user_id) found join users u on u.id = found.user_id`,
  `insert into namespace_totals (namespace_id, is_own, projects, ${sizes})
    select namespace_id, true, ${sums.join(', ')} from namespace_parts group by namespace_id`,
  `insert into namespace_totals (namespace_id, is_own, projects, ${sizes}, members, seats)
    select n.id, false, coalesce(t.projects, 0), ${sizes
      .split(', ')
      .map((column) => `coalesce(t.${column}, 0)`)
      .join(', ')}, coalesce(c.members, 0), coalesce(c.seats, 0)
    from namespaces n
    left join (select a.ancestor_id, ${['projects', ...sizes.split(', ')]
      .map((column) => `cast(sum(o.${column}) as bigint) as ${column}`)
      .join(', ')} from namespace_totals o join namespace_ancestors a on a.namespace_id = o.namespace_id
      where o.is_own group by a.ancestor_id) t on t.ancestor_id = n.id
    left join (select namespace_id, sum(case when in_groups > 0 then 1 else 0 end) as members,
      sum(case when is_billable then 1 else 0 end) as seats
      from namespace_users group by namespace_id) c on c.namespace_id = n.id`,
]
