import { type Rows, seededPath, type World } from './rows.ts'
import { first } from './size.ts'

function files({ size, own, at, hex, aProject, aGroup, aUser, times, made, row, project }: World): Rows[] {
  const { items, each } = size
  const upload = {
    filename: `'screenshot' || i || '.png'`,
    size_bytes: '1000',
    sha256: hex('i', 64),
    user_id: aUser(own.items),
    ...made,
  }
  return [
    { table: 'uploads', count: items, columns: { project_id: aProject(own.items), secret: hex('i', 32), ...upload } },
    {
      table: 'uploads',
      count: 2 * each,
      columns: { namespace_id: aGroup(2 * own.each), secret: hex(`${items} + i`, 32), ...upload },
    },
    {
      table: 'releases',
      count: 2 * each,
      columns: {
        ...{ id: `${first} + i`, project_id: aProject(2 * own.each), tag: `'v' || i`, name: `'Release ' || i` },
        author_id: aUser(2 * own.each),
        ...{ description: `'Notes'`, released_at: at(`(i * 13) % ${items}`), ...times },
      },
    },
    {
      table: 'release_links',
      count: own.each,
      columns: {
        release_id: `${row}`,
        name: `'link ' || i`,
        url: `'https://example.com/' || i`,
        link_type: `'other'`,
        ...times,
      },
    },
    {
      table: 'snippets',
      count: items,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: `case when i % 4 = 0 and i <= ${own.items} then ${project} end`,
          author_id: aUser(own.items),
          title: `'Snippet ' || i`,
        },
        ...{ visibility: `case when i % 3 = 0 then 'public' else 'private' end`, file_name: `'a.txt'`, ...times },
      },
    },
    {
      table: 'repositories',
      count: items,
      columns: {
        snippet_id: `${first} + i`,
        kind: `'snippet'`,
        storage: `'default'`,
        disk_path: seededPath({ hex }, 'snippet'),
        ...made,
      },
    },
  ]
}

function rules({ size, own, aProject, aUser, times, group, project, hex, made }: World): Rows[] {
  const { each } = size
  const bounded = Math.min(each, 1_000)
  const ofFocus = (focal: number, among: number) =>
    `case when i <= ${2 * own.each} then ${focal} else ${focal} + i % ${among} end`
  const scopes = { scopes: `'["read_repository"]'` }
  return [
    {
      table: 'protected_branches',
      count: bounded,
      columns: { project_id: `${project}`, name: `'branch' || i`, ...times },
    },
    {
      table: 'protected_branches',
      count: bounded,
      columns: { namespace_id: `${group}`, name: `'branch' || i`, ...times },
    },
    { table: 'protected_tags', count: bounded, columns: { project_id: `${project}`, name: `'tag' || i`, ...times } },
    {
      table: 'approval_rules',
      count: Math.min(each, 100),
      columns: {
        project_id: `${project}`,
        name: `'rule' || i`,
        rule_type: `'regular'`,
        approvals_required: '1',
        ...made,
      },
    },
    {
      table: 'external_status_checks',
      count: Math.min(each, 50),
      columns: {
        ...{ project_id: `${project}`, name: `'check' || i`, external_url: `'https://example.com/' || i` },
        ...times,
      },
    },
    {
      table: 'scoped_approval_rules',
      count: Math.min(each, 100),
      columns: {
        namespace_id: `${group}`,
        name: `'rule' || i`,
        rule_type: `'regular'`,
        approvals_required: '1',
        ...times,
      },
    },
    ...[`project_id ${project}`, `namespace_id ${group}`].map(
      (of, index): Rows => ({
        table: 'deploy_tokens',
        count: 2 * own.each,
        columns: {
          ...{
            [of.split(' ')[0] ?? '']: of.split(' ')[1] ?? '',
            name: `'token' || i`,
            username: `'deploy' || i`,
            digest: hex(`${index} * 1000000 + i`, 64),
            ...scopes,
          },
          ...{ revoked: 'i % 3 = 0', ...made },
        },
      }),
    ),
    {
      table: 'keys',
      count: 2 * each,
      columns: {
        ...{
          id: `10000000 + i`,
          kind: `'deploy'`,
          owner_id: `${first + 1}`,
          title: `'Deploy key ' || i`,
          key: `'ssh-ed25519 BBBB' || i`,
        },
        ...{ type: `'ssh-ed25519'`, fingerprint_md5: hex('10000000 + i', 32), fingerprint_sha256: `'SHA256:d' || i` },
        ...{ usage_type: `'auth'`, public: 'i % 5 = 0', ...made },
      },
    },
    {
      table: 'deploy_key_projects',
      count: 2 * each,
      columns: { key_id: `10000000 + i`, project_id: aProject(2 * own.each), ...times },
    },
    {
      table: 'remote_mirrors',
      count: Math.min(each, 100),
      columns: { project_id: `${project}`, url: `'https://example.com/' || i`, sealed_url: `'x'`, ...times },
    },
    {
      table: 'project_storage_moves',
      count: 2 * each,
      columns: {
        container_id: aProject(2 * own.each),
        state: `'finished'`,
        source_storage_name: `'default'`,
        destination_storage_name: `'other'`,
        ...made,
      },
    },
    {
      table: 'group_storage_moves',
      count: 2 * each,
      columns: {
        container_id: ofFocus(group, size.groups),
        state: `'finished'`,
        source_storage_name: `'default'`,
        destination_storage_name: `'other'`,
        ...made,
      },
    },
    {
      table: 'snippet_storage_moves',
      count: 2 * each,
      columns: {
        container_id: ofFocus(first + 2, size.items - 2),
        state: `'finished'`,
        source_storage_name: `'default'`,
        destination_storage_name: `'other'`,
        ...made,
      },
    },
    {
      table: 'bulk_imports',
      count: own.each,
      columns: {
        ...{ id: `${first} + i`, user_id: aUser(own.each), as_administrator: 'false', status: `'finished'` },
        ...{ source_url: `'https://example.com'`, is_own: 'false', ...times },
      },
    },
    {
      table: 'bulk_import_entities',
      count: own.each,
      columns: {
        ...{ id: `${first} + i`, bulk_import_id: `${first} + i`, user_id: aUser(own.each), entity_type: `'group'` },
        ...{ status: `'finished'`, source_full_path: `'group'`, destination_slug: `'copy' || i` },
        ...{ destination_namespace: `''`, migrate_projects: 'true', migrate_memberships: 'true', ...times },
      },
    },
    ...(['user_id', 'project_id', 'namespace_id'] as const).map(
      (column): Rows => ({
        table: 'custom_attributes',
        count: each,
        columns: {
          ...{ [column]: column === 'namespace_id' ? `${group - 1} + i` : `${first} + i`, key: `'color'` },
          ...{ value: `case when i % 100 = 5 then 'red' else 'blue' end`, ...times },
        },
        more: `where i <= ${size.groups}`,
      }),
    ),
    {
      table: 'group_ssh_certificates',
      count: 20,
      columns: {
        ...{ namespace_id: `${group}`, title: `'office ' || i`, key: `'ssh-ed25519 key' || i` },
        ...{ fingerprint_sha256: `'SHA256:' || i`, ...made },
      },
    },
    {
      table: 'group_domains',
      count: Math.min(own.each, own.projects),
      columns: { project_id: `${project}`, domain: `'d' || i || '.example.com'`, verification_code: `'x'`, ...made },
    },
  ]
}

function notices({ size, own, aProject, hex, times, made, project, group, person, row, at }: World): Rows[] {
  const { each } = size
  const bounded = Math.min(each, 1_000)
  const hook = { url: `'https://example.com/hook' || i`, ...times }
  return [
    {
      table: 'web_hooks',
      count: bounded,
      columns: { id: `${first} + i`, uuid: hex('i', 32), project_id: `${project}`, ...hook },
    },
    {
      table: 'web_hooks',
      count: bounded,
      columns: { id: `10000 + i`, uuid: hex('10000 + i', 32), namespace_id: `${group}`, ...hook },
    },
    { table: 'web_hooks', count: bounded, columns: { id: `20000 + i`, uuid: hex('20000 + i', 32), ...hook } },
    ...(['project_id', 'namespace_id'] as const).map(
      (column): Rows => ({
        table: 'badges',
        count: Math.min(each, 50),
        columns: {
          ...{ [column]: `${column === 'project_id' ? project : group}`, link_url: `'https://b.example/' || i` },
          ...{ image_url: `'https://b.example/i.svg'`, ...times },
        },
      }),
    ),
    ...(['null', `${group}`] as const).map(
      (namespace_id): Rows => ({
        table: 'member_roles',
        count: Math.min(each, 10),
        columns: {
          namespace_id,
          name: `'role ' || i`,
          base_access_level: '10',
          permissions: `'["read_code"]'`,
          ...made,
        },
      }),
    ),
    {
      table: 'web_hook_events',
      count: 2 * own.each,
      columns: {
        id: `${first} + i`,
        uuid: hex('i', 32),
        trigger_name: `'push_hooks'`,
        header: `'Push Hook'`,
        payload: `'{}'`,
        ...made,
      },
    },
    ...[row, 10_002].map(
      (id): Rows => ({
        table: 'web_hook_deliveries',
        count: 2 * own.each,
        columns: {
          ...{
            web_hook_id: `${id}`,
            event_id: `${first} + i`,
            idempotency_key: hex('i', 32),
            is_pending: 'i < 0',
            url: `'https://example.com'`,
          },
          ...{
            request_headers: `'{}'`,
            response_headers: `'{}'`,
            response_body: `'ok'`,
            response_code: '200',
            response_status: `'200'`,
          },
          ...{ execution_duration: '0.1', ...made },
        },
      }),
    ),
    {
      table: 'issue_metric_images',
      count: each,
      columns: {
        ...{ project_id: `${first + 1}`, issue_id: `${first} + i`, secret: hex('i', 32), filename: `'a.png'` },
        ...{ size_bytes: '67', sha256: hex('i', 64), created_at: at('i') },
      },
    },
    {
      table: 'alerts',
      count: 2 * each,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(2 * own.each),
          iid: 'i',
          title: `'Alert ' || i`,
          severity: `case when i % 4 = 0 then 'critical' else 'low' end`,
        },
        ...{
          status: `case when i % 8 < 4 then 'triggered' else 'resolved' end`,
          hosts: `'[]'`,
          started_at: at('i'),
          event_count: 'i % 50',
        },
        ...{
          format: `'generic'`,
          payload: `'{}'`,
          assignee_id: `case when i % 6 = 0 then ${person} end`,
          environment_name: `'production'`,
        },
        ...{ monitoring_tool: `'Prometheus'`, ...times },
      },
    },
    ...(['project', 'group', 'instance'] as const).map((kind): Rows => {
      const id = { project: `${project}`, group: `${group}`, instance: 'null' }[kind]
      return {
        table: 'audit_events',
        count: own.each,
        columns: {
          ...{ act: `'projects.update'`, actor_name: `'alice'`, credential: `'session'`, changed: `'["name"]'` },
          ...{ author_id: `${person}`, actor_id: `${person}`, target_kind: `'${kind}'`, target_id: id },
          ...{ target_path: `'team/app'`, ip_address: `'203.0.113.9'`, told: `'{}'`, created_at: at('i') },
        },
      }
    }),
    {
      table: 'alert_notes',
      count: own.each,
      columns: { alert_id: `${row}`, author_id: `${person}`, body: `'Seen'`, ...times },
    },
    {
      table: 'broadcast_messages',
      count: bounded,
      columns: {
        ...{
          message: `'Message ' || i`,
          starts_at: at('i'),
          ends_at: at('i + 100'),
          font: `'#ffffff'`,
          target_access_levels: `'[]'`,
        },
        ...{ broadcast_type: `'banner'`, theme: `'indigo'`, dismissable: 'i > 0', ...times },
      },
    },
  ]
}

/** Files, rules of projects, hooks, alerts and others. */
export const contents = (world: World): Rows[] => [...files(world), ...rules(world), ...notices(world)]
