import type { Rows, World } from './rows.ts'
import { first } from './size.ts'

function pipelines({ size, own, at, hex, aProject, aUser, times, row }: World): Rows[] {
  const { items, each } = size
  const status = `case i % 7 when 0 then 'failed' when 1 then 'canceled' when 2 then 'running' when 3 then 'pending' else 'success' end`
  return [
    {
      table: 'pipelines',
      count: items,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(own.items),
          iid: 'i',
          sha: hex('i / 10', 40),
          ref: `'branch' || i % 100`,
          status,
        },
        ...{ tag: 'i % 50 = 0', source: `case when i % 3 = 0 then 'web' else 'push' end`, ...times },
        user_id: aUser(own.items),
        schedule_id: `case when i % 10 = 0 and i <= ${own.items} then ${row} end`,
        ...{ started_at: at('i'), finished_at: `case when i % 7 in (2, 3) then null else ${at('i + 60')} end` },
        yaml_errors: `case when i % 90 = 0 then 'jobs config should contain at least one visible job' end`,
        name: `case when i % 30 = 0 then 'nightly' end`,
      },
    },
    {
      table: 'ci_jobs',
      count: 2 * items,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(2 * own.items),
          pipeline_id: `case when i % 2 = 0 and i <= 2 * ${own.each} then ${row} else ${first} + (i + 1) / 2 end`,
        },
        ...{
          external: 'i % 40 = 2',
          sha: hex('i / 20', 40),
          ref: `'branch' || i % 100`,
          stage: `'test'`,
          name: `'job ' || i`,
          status,
        },
        // The commits of a runner's jobs are shown, and of all projects the focal one has a repository on disk.
        runner_id: `case when i % 6 = 0 and i % 7 not in (2, 3) and i <= 2 * ${own.items} then ${row} end`,
        ...{
          user_id: aUser(2 * own.items),
          started_at: at('i'),
          finished_at: at('i + 60'),
          queued_at: at('i'),
          ...times,
        },
      },
    },
    {
      table: 'ci_triggers',
      count: own.each,
      columns: {
        ...{ project_id: `${first + 1}`, owner_id: `${first + 1}`, token_digest: hex('i', 64), sealed_token: `'x'` },
        ...{ token_start: `'abcd'`, description: `'Trigger ' || i`, ...times },
      },
    },
    {
      table: 'pipeline_schedules',
      count: 2 * each,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(2 * own.each),
          owner_id: `${first + 1}`,
          description: `'Schedule ' || i`,
          ref: `'refs/heads/main'`,
        },
        ...{ cron: `'0 1 * * *'`, cron_timezone: `'UTC'`, active: 'i % 4 > 1', next_run_at: at('300000000'), ...times },
      },
    },
  ]
}

function runners({ size, own, hex, json, aProject, times, row, group }: World): Rows[] {
  const { each, groups } = size
  // Each project has the runners of the instance.
  const ofInstance = `i % 40 = 1 and i <= 4 * ${own.each}`
  return [
    {
      table: 'runners',
      count: 4 * each,
      columns: {
        ...{
          id: `${first} + i`,
          token_digest: hex('i', 64),
          description: `'Runner ' || i`,
          paused: 'i % 9 = 0',
          locked: 'i < 0',
        },
        runner_type: `case when i % 4 = 0 then 'group_type' when ${ofInstance} then 'instance_type' else 'project_type' end`,
        namespace_id: `case when i % 4 > 0 then null when i <= 4 * ${own.each} then ${group} else ${group} + i % ${groups} end`,
        ...{
          run_untagged: 'i > 0',
          access_level: `'not_protected'`,
          tag_list: json(`case when i % 2 = 0 then '["docker"]' else '[]' end`),
          ...times,
        },
      },
    },
    {
      table: 'runner_projects',
      count: 4 * each,
      columns: { runner_id: `${first} + i`, project_id: aProject(4 * own.each) },
      more: `where i % 4 > 0 and not (${ofInstance})`,
    },
    {
      table: 'runner_projects',
      count: Math.min(own.each, own.projects - 1),
      columns: { runner_id: `${row}`, project_id: `${first + 1} + i` },
    },
    {
      table: 'runner_managers',
      count: own.each,
      columns: { runner_id: `${row}`, system_id: `'s' || i`, created_at: times.created_at },
    },
  ]
}

function images({ size, own, at, hex, aProject, made, row }: World): Rows[] {
  const { items, each } = size
  const id = `${first} + i`
  const repository = `case when i % 2 = 0 and i <= ${own.items} then ${row} else ${first} + 1 + i % (2 * ${each}) end`
  return [
    {
      table: 'registry_repositories',
      count: 2 * each,
      columns: {
        id,
        project_id: aProject(2 * own.each),
        name: `'image' || i`,
        path: `'group1/project1/image' || i`,
        ...made,
      },
    },
    {
      table: 'registry_manifests',
      count: items,
      columns: {
        ...{
          id,
          repository_id: repository,
          digest: `'sha256:' || ${hex('i', 64)}`,
        },
        ...{
          media_type: `'application/vnd.oci.image.manifest.v1+json'`,
          size_bytes: '500',
          config_digest: `'sha256:' || ${hex('i', 64)}`,
        },
        ...{ layers_size_bytes: '1000', image_created_at: at('i'), used_at: at('i'), is_referenced: 'i > 0', ...made },
      },
    },
    {
      table: 'registry_tags',
      count: items,
      columns: {
        ...{
          repository_id: repository,
          name: `'v' || i`,
          manifest_id: id,
        },
        ...{ created_at: at('i'), updated_at: at('i') },
      },
    },
    {
      table: 'registry_protection_rules',
      count: Math.min(each, 1000),
      columns: {
        project_id: `${first + 1}`,
        pattern: `'image' || i`,
        push_level: '40',
        created_at: at('i'),
        updated_at: at('i'),
      },
    },
    {
      table: 'registry_tag_rules',
      count: 5,
      columns: {
        ...{ project_id: `${first + 1}`, pattern: `'v' || i`, push_level: '40' },
        ...{ created_at: at('i'), updated_at: at('i') },
      },
    },
  ]
}

function packages({ size, own, hex, aProject, aUser, times, made, row }: World): Rows[] {
  const { items, each } = size
  const id = `${first} + i`
  const named = { name: `'package' || (i / 10)`, name_key: `'package' || (i / 10)` }
  return [
    {
      table: 'packages',
      count: items,
      columns: {
        ...{ id, project_id: aProject(own.items), ...named, version: `'1.0.' || i` },
        package_type: `case i % 8 when 0 then 'generic' when 1 then 'pypi' when 2 then 'maven' else 'npm' end`,
        status: `case when i % 50 = 7 then 'hidden' when i % 50 = 9 then 'deprecated' else 'default' end`,
        ...{ size_bytes: '200', creator_id: aUser(own.items), ...times },
      },
    },
    {
      table: 'package_blobs',
      count: each,
      columns: {
        ...{ id, sha256: hex('i', 64), sha1: hex('i', 40), md5: hex('i', 32), sha512: hex('i', 128) },
        ...{ size_bytes: '100', storage_key: `'packages/' || i`, created_at: made.created_at },
      },
    },
    {
      table: 'package_files',
      count: 2 * items,
      columns: {
        package_id: `case when i % 2 = 0 and i <= 2 * ${own.each} then ${row} else ${first} + (i + 1) / 2 end`,
        ...{ blob_id: `${first} + 1 + i % ${each}`, file_name: `'file' || i`, ...made },
      },
    },
    {
      table: 'package_pipelines',
      count: own.each,
      columns: { package_id: `${row}`, pipeline_id: id, published_at: made.created_at },
    },
    {
      table: 'package_names',
      count: each,
      columns: { project_id: `${first + 1}`, package_type: `'pypi'`, name_key: `'package' || i`, generation: 'i' },
    },
    {
      table: 'package_protection_rules',
      count: Math.min(each, 1000),
      columns: {
        ...{ project_id: `${first + 1}`, package_type: `'generic'`, pattern: `'package' || i` },
        ...{ push_level: '40', created_at: times.created_at, updated_at: times.created_at },
      },
    },
  ]
}

/** Environments with their deployments, sites, and secure files. */
function deployed({ size, own, hex, aUser, times, made, project }: World): Rows[] {
  const id = `${first} + i`
  const of = Math.min(own.each, own.projects)
  return [
    {
      table: 'environments',
      count: own.each,
      columns: {
        ...{ id, project_id: `${project}`, name: `'review/e' || i`, slug: `'review-e' || i` },
        ...{ tier: `'development'`, state: `case when i % 3 = 0 then 'stopped' else 'available' end`, ...times },
      },
    },
    // Most protect environments that exist.
    {
      table: 'protected_environments',
      count: own.each,
      columns: { ...{ id, project_id: `${project}`, name: `'review/e' || i` }, ...times },
    },
    {
      table: 'protected_environment_deploy_levels',
      count: own.each,
      columns: { protected_environment_id: id, access_level: '40' },
    },
    {
      table: 'protected_environment_approval_rules',
      count: own.each,
      columns: { protected_environment_id: id, access_level: '40', required_approvals: '1' },
    },
    {
      table: 'deployments',
      count: own.each,
      columns: {
        ...{ project_id: `${project}`, environment_id: id, iid: 'i', ref: `'branch' || i % 100`, tag: 'false' },
        ...{ sha: hex('i', 40), status: `case when i % 5 = 0 then 'failed' else 'success' end`, by_job: 'false' },
        ...{ user_id: aUser(own.each), finished_at: times.updated_at, ...times },
      },
    },
    {
      table: 'pages_sites',
      count: size.projects,
      columns: { project_id: id, unique_name: `'site-' || i`, unique_domain_enabled: 'true', ...made },
    },
    {
      table: 'pages_deployments',
      count: size.projects,
      columns: {
        ...{ project_id: id, path_prefix: `''`, root_directory: `'public'`, job_id: id, pipeline_id: id },
        ...{ ref: `'main'`, secret: hex('i', 32), sha256: hex('i', 64), ...made },
        ...{ file_count: '1', size_bytes: '1', object_bytes: '2', root_offset: '1' },
      },
    },
    {
      table: 'terraform_states',
      count: of,
      columns: { id, project_id: `${project}`, name: `'state' || i`, ...times },
    },
    {
      table: 'terraform_state_versions',
      count: of,
      columns: {
        ...{ project_id: `${project}`, state_id: id, serial: '1', secret: hex('i', 32) },
        ...{ size_bytes: '1', sealed_bytes: '69', ...made },
      },
    },
    {
      table: 'cluster_agents',
      count: of,
      columns: { id, project_id: `${project}`, name: `'agent' || i`, created_by_id: aUser(of), ...made },
    },
    {
      table: 'cluster_agent_tokens',
      count: of,
      columns: {
        ...{ agent_id: id, name: `'token' || i`, digest: hex('i', 64), created_by_id: aUser(of), ...made },
        revoked_at: `case when i % 3 = 0 then null else ${times.updated_at} end`,
      },
    },
    {
      table: 'error_tracking_settings',
      count: size.projects,
      columns: { project_id: id, active: 'true', integrated: 'true' },
    },
    {
      table: 'error_tracking_keys',
      count: of,
      columns: { project_id: `${project}`, public_key: `'glet_' || ${hex('i', 32)}`, ...made },
    },
    {
      table: 'ci_secure_files',
      count: of,
      columns: {
        ...{ project_id: `${project}`, name: `'file' || i`, secret: hex('i', 32), sha256: hex('i', 64) },
        ...{ size_bytes: '1', sealed_bytes: '40', ...made },
      },
    },
  ]
}

/** Pipelines, runners, images, packages and sites. */
export const delivery = (world: World): Rows[] => [
  ...pipelines(world),
  ...runners(world),
  ...images(world),
  ...packages(world),
  ...deployed(world),
]
