/**
 * The access rights of contract 00 ("Role ladder", "Visibility and code access", "Order of checks") and contract 21 R2,
 * written out as literals: what each caller gets for each ability, in each state of the project or group. The tests compare
 * the policy and the server with it, so every change of the policy needs a change here.
 */

/** The callers, in the order of the columns. The first four have no role; `foreign bot` is a bot of another project. */
export const callers = [
  'anonymous',
  'external user',
  'foreign bot',
  'user',
  'minimal access',
  'guest',
  'planner',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
] as const
export type Caller = (typeof callers)[number]

/**
 * The states of a project or group. All but `private` and `internal` are public; a group is archived by its deletion mark.
 * With `planning off`, issues and merge requests are. */
export type State =
  | 'private'
  | 'internal'
  | 'public'
  | 'archived'
  | 'code off'
  | 'wiki off'
  | 'members only'
  | 'images off'
  | 'planning off'

const outcomes = {
  '+': 'allowed',
  '-': 'forbidden',
  u: 'unauthorized',
  '.': 'invisible',
  r: 'repository off',
  n: 'issues off',
} as const
export type Outcome = (typeof outcomes)[keyof typeof outcomes]

const projectTable = `
                             private      internal     public       archived     code off     wiki off     images off   members only  planning off
  read_project               .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  read_members               u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  search                     u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  read_statistics            u....--+++++ u..----+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++
  set_notifications          u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  star_project               u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  ask_for_fork               u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  fork_project               u....--+++++ u..+++++++++ u+++++++++++ u+++++++++++ urrrrrrrrrrr u+++++++++++ u+++++++++++ urrrr+++++++ u+++++++++++
  read_code                  .....--+++++ ...+++++++++ ++++++++++++ ++++++++++++ rrrrrrrrrrrr ++++++++++++ ++++++++++++ rrrrr+++++++ ++++++++++++
  comment_on_commits         u....--+++++ u..+++++++++ u+++++++++++ u----------- urrrrrrrrrrr u+++++++++++ u+++++++++++ urrrr+++++++ u+++++++++++
  push_code                  u....---++++ u..-----++++ u-------++++ u----------- urrrrrrrrrrr u-------++++ u-------++++ urrrr---++++ u-------++++
  lint_ci                    u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  read_pipelines             .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  read_jobs                  u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  read_pipeline_variables    u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  run_pipelines              u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  delete_artifacts           u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  delete_pipelines           u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++ u---------++ u---------++ u---------++
  read_resource_groups       u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  read_freeze_periods        u....--+++++ u..----+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++ u------+++++
  admin_freeze_periods       u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_environments          u....--+++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  write_environments         u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  approve_deployments        u....--+++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_environments         u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_protected_environments  u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_protected_environments u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  set_commit_status          u....---++++ u..-----++++ u-------++++ u----------- urrrrrrrrrrr u-------++++ u-------++++ urrrr---++++ u-------++++
  read_releases              .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ rrrrrrrrrrrr ++++++++++++ ++++++++++++ rrrrr+++++++ ++++++++++++
  collect_release_evidence   u....----+++ u..------+++ u--------+++ u----------- urrrrrrrrrrr u--------+++ u--------+++ urrrr----+++ u--------+++
  read_protected_branches    u....--+++++ u..+++++++++ u+++++++++++ u+++++++++++ urrrrrrrrrrr u+++++++++++ u+++++++++++ urrrr+++++++ u+++++++++++
  admin_protected_branches   u....----+++ u..------+++ u--------+++ u----------- urrrrrrrrrrr u--------+++ u--------+++ urrrr----+++ u--------+++
  read_protected_tags        u....----+++ u..------+++ u--------+++ u--------+++ urrrrrrrrrrr u--------+++ u--------+++ urrrr----+++ u--------+++
  admin_protected_tags       u....----+++ u..------+++ u--------+++ u----------- urrrrrrrrrrr u--------+++ u--------+++ urrrr----+++ u--------+++
  delete_merged_branches     u....---++++ u..-----++++ u-------++++ u----------- urrrrrrrrrrr u-------++++ u-------++++ urrrr---++++ u-------++++
  read_labels                u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ unnnnnnnnnnn
  admin_labels               u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++ u-----++++++ u-----++++++ unnnnnnnnnnn
  read_milestones            .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ nnnnnnnnnnnn
  admin_milestones           u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++ u-----++++++ u-----++++++ unnnnnnnnnnn
  read_iterations            u....+++++++ u..--+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++
  read_issues                .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ nnnnnnnnnnnn
  read_issue_activity        u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ unnnnnnnnnnn
  take_part_in_issues        u....+++++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ unnnnnnnnnnn
  plan_issues                u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++ u-----++++++ u-----++++++ unnnnnnnnnnn
  admin_incident_images      u....--+++++ u..----+++++ u------+++++ u----------- u------+++++ u------+++++ u------+++++ u------+++++ unnnnnnnnnnn
  read_boards                u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u-----------
  admin_boards               u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++ u-----++++++ u-----++++++ u-----------
  read_merge_requests        .....--+++++ ...+++++++++ ++++++++++++ ++++++++++++ ------------ ++++++++++++ ++++++++++++ -----+++++++ ------------
  follow_merge_requests      u....--+++++ u..+++++++++ u+++++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++ u----+++++++ u-----------
  comment_on_merge_requests  u....--+++++ u..+++++++++ u+++++++++++ u----------- u----------- u+++++++++++ u+++++++++++ u----+++++++ u-----------
  create_merge_requests      u....---++++ u..-----++++ u-------++++ u----------- u----------- u-------++++ u-------++++ u-------++++ u-----------
  update_merge_requests      u....--+++++ u..----+++++ u------+++++ u----------- u----------- u------+++++ u------+++++ u------+++++ u-----------
  approve_merge_requests     u....---++++ u..-----++++ u-------++++ u----------- u----------- u-------++++ u-------++++ u-------++++ u-----------
  read_merge_trains          u....---++++ u..-----++++ u-------++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-----------
  add_to_merge_trains        u....---++++ u..-----++++ u-------++++ u----------- u----------- u-------++++ u-------++++ u-------++++ u-----------
  read_approval_rules        u....---++++ u..-----++++ u-------++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-----------
  read_approval_settings     u....----+++ u..------+++ u--------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u-----------
  admin_approval_rules       u....----+++ u..------+++ u--------+++ u----------- u----------- u--------+++ u--------+++ u--------+++ u-----------
  read_status_checks         u....--+++++ u..----+++++ u------+++++ u------+++++ u----------- u------+++++ u------+++++ u------+++++ u-----------
  answer_status_checks       u....---++++ u..-----++++ u-------++++ u----------- u----------- u-------++++ u-------++++ u-------++++ u-----------
  read_status_check_settings u....----+++ u..------+++ u--------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u-----------
  admin_status_checks        u....----+++ u..------+++ u--------+++ u----------- u----------- u--------+++ u--------+++ u--------+++ u-----------
  delete_merge_requests      u....-----++ u..-------++ u---------++ u----------- u----------- u---------++ u---------++ u---------++ u-----------
  read_wiki                  .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ------------ ++++++++++++ -----+++++++ ++++++++++++
  write_wiki                 u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u----------- u-------++++ u-------++++ u-------++++
  delete_wiki_pages          u....----+++ u..------+++ u--------+++ u----------- u--------+++ u----------- u--------+++ u--------+++ u--------+++
  read_snippets              .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  list_snippets              u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  create_snippets            u....--+++++ u..----+++++ u------+++++ u----------- u------+++++ u------+++++ u------+++++ u------+++++ u------+++++
  comment_on_snippets        u....+++++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  update_snippets            u....--+++++ u..----+++++ u------+++++ u----------- u------+++++ u------+++++ u------+++++ u------+++++ u------+++++
  read_container_images      .....--+++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ------------ -------+++++ ++++++++++++
  push_container_images      u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u----------- u-------++++ u-------++++
  delete_container_tags      u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u----------- u-------++++ u-------++++
  delete_container_images    u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u----------- u--------+++ u--------+++
  read_container_protection  u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u----------- u--------+++ u--------+++
  admin_container_protection u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u----------- u--------+++ u--------+++
  read_packages              .....--+++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ -------+++++ ++++++++++++
  publish_packages           u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  delete_packages            u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_package_protection    u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_package_protection   u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  create_uploads             u....+++++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  read_uploads               u....+++++++ u..--+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++
  admin_uploads              u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  delete_uploads             u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  export_relations           u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_project              u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  edit_project               u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  edit_merge_settings        u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_members              u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  leave                      u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  request_access             u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  rotate_own_token           u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_tokens               u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_deploy_tokens         u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_deploy_tokens        u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_deploy_keys           u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_deploy_keys          u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_pages                 u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_pages                u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_group_domains         u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_group_domains        u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_push_rules            u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_push_rules           u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_variables             u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_variables            u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_hooks                 u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_hooks                u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_badges                .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  render_badges              u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_badges               u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_integrations          u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_integrations         u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_job_token_scope      u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_runners               u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_runners              u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_triggers              u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_triggers             u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_secure_files          u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  admin_secure_files         u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_terraform_states      u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  admin_terraform_states     u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_cluster_agents        u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  admin_cluster_agents       u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_feature_flags         u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  admin_feature_flags        u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  reset_feature_flag_client  u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_alerts                u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  manage_alerts              u....---++++ u..-----++++ u-------++++ u----------- u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  read_alert_settings        u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_alert_settings       u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_error_tracking        u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_error_tracking       u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_mirrors               u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_mirrors              u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_own_audit_events      u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++ u-------++++
  read_audit_events          u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  read_service_accounts      u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_service_accounts     u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  share                      u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++ u--------+++ u--------+++ u--------+++
  archive_project            u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++
  delete_project             u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++
  own                        u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++ u---------++
  link_fork                  u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++ u---------++ u---------++ u---------++
  transfer                   u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++ u---------++ u---------++ u---------++
  administer                 u----------+ u----------+ u----------+ u----------+ u----------+ u----------+ u----------+ u----------+ u----------+
`

const groupTable = `
                           private      internal     public       archived     wiki off     members only
  read_group               .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  read_group_shares        u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  read_members             u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  set_notifications        u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  search                   u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  create_subgroup          u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++
  read_labels              u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_labels             u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++
  read_milestones          .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  admin_milestones         u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++
  read_boards              u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_boards             u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++
  read_iterations          u....+++++++ u..--+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++
  admin_iterations         u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++
  read_wiki                .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ------------ -----+++++++
  write_wiki               u....---++++ u..-----++++ u-------++++ u----------- u----------- u-------++++
  delete_wiki_pages        u....----+++ u..------+++ u--------+++ u----------- u----------- u--------+++
  create_uploads           u....+++++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++
  read_uploads             u....+++++++ u..--+++++++ u----+++++++ u----+++++++ u----+++++++ u----+++++++
  admin_uploads            u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++
  delete_uploads           u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++
  export_relations         u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_members            u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  leave                    u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  request_access           u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  billable_members         u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_deploy_tokens      u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  read_deploy_tokens       u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++
  rotate_own_token         u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  admin_tokens             u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  read_service_accounts    u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_service_accounts   u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_enterprise_users   u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_ssh_certificates   u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  read_variables           u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_variables          u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_hooks               u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_hooks              u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_badges              .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  render_badges            u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_badges             u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_integrations        u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_integrations       u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++
  read_group_links         u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_group_links        u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_runners             u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_runners            u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_push_rules          u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_push_rules         u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_approval_rules      u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  read_approval_settings   u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_approval_rules     u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  admin_group              u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  share                    u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  transfer                 u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_container_images    .....--+++++ ...----+++++ u------+++++ u------+++++ u------+++++ u------+++++
  read_packages            .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  read_epics               .....+++++++ ...+++++++++ ++++++++++++ ++++++++++++ ++++++++++++ ++++++++++++
  read_epic_activity       u....+++++++ u..+++++++++ u+++++++++++ u+++++++++++ u+++++++++++ u+++++++++++
  comment_on_epics         u....+++++++ u..+++++++++ u+++++++++++ u----------- u+++++++++++ u+++++++++++
  assign_epic_issues       u....+++++++ u..--+++++++ u----+++++++ u----------- u----+++++++ u----+++++++
  write_epics              u....-++++++ u..---++++++ u-----++++++ u----------- u-----++++++ u-----++++++
  read_protected_branches  u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_protected_branches u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  read_protected_environments u....----+++ u..------+++ u--------+++ u--------+++ u--------+++ u--------+++
  admin_protected_environments u....----+++ u..------+++ u--------+++ u----------- u--------+++ u--------+++
  read_own_audit_events    u....---++++ u..-----++++ u-------++++ u-------++++ u-------++++ u-------++++
  read_audit_events        u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  read_member_roles        u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  admin_member_roles       u....-----++ u..-------++ u---------++ u----------- u---------++ u---------++
  delete_group             u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  own                      u....-----++ u..-------++ u---------++ u---------++ u---------++ u---------++
  administer               u----------+ u----------+ u----------+ u----------+ u----------+ u----------+
`

const ofMergeRequests =
  'read_merge_requests follow_merge_requests comment_on_merge_requests create_merge_requests update_merge_requests ' +
  'approve_merge_requests read_merge_trains add_to_merge_trains read_approval_rules read_approval_settings ' +
  'admin_approval_rules read_status_checks ' +
  'answer_status_checks read_status_check_settings admin_status_checks delete_merge_requests'

/**
 * The abilities that a project refuses to everyone while the access level of a feature is `disabled`, by the status of the
 * refusal (contract 00, "Visibility and code access"; 19, "Permissions"). Merge requests need the code as well. Labels and
 * milestones need issues or merge requests.
 */
export const withoutFeature: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  repository: {
    403: ofMergeRequests,
    404:
      'fork_project read_code comment_on_commits push_code set_commit_status read_releases collect_release_evidence ' +
      'read_protected_branches admin_protected_branches read_protected_tags admin_protected_tags delete_merged_branches',
  },
  issues: {
    403: 'read_boards admin_boards',
    404: 'read_issues read_issue_activity take_part_in_issues plan_issues admin_incident_images',
  },
  merge_requests: { 403: ofMergeRequests },
  wiki: { 403: 'read_wiki write_wiki delete_wiki_pages' },
  builds: {
    403:
      'lint_ci read_pipelines read_jobs read_pipeline_variables run_pipelines delete_artifacts delete_pipelines ' +
      'read_runners admin_runners read_triggers admin_triggers read_secure_files admin_secure_files read_resource_groups ' +
      'read_freeze_periods admin_freeze_periods',
  },
  environments: {
    403:
      'read_environments write_environments approve_deployments admin_environments read_protected_environments ' +
      'admin_protected_environments',
  },
  snippets: { 403: 'read_snippets list_snippets create_snippets comment_on_snippets update_snippets' },
  container_registry: {
    403:
      'read_container_images push_container_images delete_container_tags delete_container_images ' +
      'read_container_protection admin_container_protection',
  },
  infrastructure: { 404: 'read_terraform_states admin_terraform_states' },
  feature_flags: { 403: 'read_feature_flags admin_feature_flags reset_feature_flag_client' },
  package_registry: {
    403: 'read_packages publish_packages delete_packages read_package_protection admin_package_protection',
  },
  monitor: { 403: 'read_alerts manage_alerts read_alert_settings admin_alert_settings' },
}

export type AccessTable = {
  abilities: readonly string[]
  states: readonly State[]
  /** @throws Error when the table has no such ability or state */
  outcome(ability: string, state: State, caller: Caller): Outcome
}

function parse(text: string): AccessTable {
  const [header = '', ...lines] = text.trim().split('\n')
  const states = header.trim().split(/ {2,}/) as State[]
  const rows = new Map(
    lines.map((line) => line.trim().split(/\s+/)).map(([ability = '', ...cells]) => [ability, cells]),
  )
  for (const [ability, cells] of rows) {
    const isComplete = cells.length === states.length && cells.every((cell) => cell.length === callers.length)
    if (!isComplete) throw new Error(`the row ${ability} has the wrong number of columns`)
  }
  return {
    abilities: [...rows.keys()],
    states,
    outcome(ability, state, caller) {
      const letter = rows.get(ability)?.[states.indexOf(state)]?.[callers.indexOf(caller)]
      if (letter === undefined || !(letter in outcomes)) throw new Error(`no entry for ${ability}, ${state}, ${caller}`)
      return outcomes[letter as keyof typeof outcomes]
    },
  }
}

export const accessTables = { project: parse(projectTable), group: parse(groupTable) } as const
