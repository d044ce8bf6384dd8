import type { RefListener } from '../../../platform/index.ts'

/** The known push options (contract 22 R6); some have a value. */
const knownOptions = new Set([
  'ci.skip',
  'ci.variable',
  'ci.input',
  'merge_request.create',
  'merge_request.target',
  'merge_request.target_project',
  'merge_request.auto_merge',
  'merge_request.merge_when_pipeline_succeeds',
  'merge_request.remove_source_branch',
  'merge_request.squash',
  'merge_request.title',
  'merge_request.description',
  'merge_request.draft',
  'merge_request.milestone',
  'merge_request.label',
  'merge_request.unlabel',
  'merge_request.assign',
  'merge_request.unassign',
  'integrations.skip_ci',
  'secret_push_protection.skip_all',
])
const optionLength = 100

function optionNotices(pushOptions: readonly string[]): string[] {
  const unknown = pushOptions.filter((option) => !knownOptions.has(option.split('=', 1)[0] ?? ''))
  return unknown.map((option) => `WARNING: unknown push option '${option.slice(0, optionLength)}' was ignored`)
}

/** Tells the pusher which push options are not known (contract 22 R6). */
export const pushNotices: RefListener = {
  afterPush: async (_platform, { writer }) => optionNotices(writer.pushOptions ?? []),
}
