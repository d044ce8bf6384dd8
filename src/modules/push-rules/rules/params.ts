import { type ParamValues, t } from '../../../api/index.ts'

const pattern = (description: string) => t.nullable(t.string({ description: `RE2. ${description}` }))

const patterns = {
  commit_message_regex: pattern('What every commit message must contain; `^` and `$` match at lines.'),
  commit_message_negative_regex: pattern('What no commit message may contain.'),
  branch_name_regex: pattern('What the names of branches must contain, except the default branch.'),
  author_email_regex: pattern('What the e-mail addresses of authors and committers must contain.'),
  file_name_regex: pattern('What no path of a new file may contain.'),
}

/** The requirements of a push rule (contract 22, PushRule). */
export const pushRuleParams = {
  ...patterns,
  deny_delete_tag: t.boolean({ description: 'Whether tags cannot be deleted through git.' }),
  member_check: t.boolean({ description: 'Whether authors and committers must be users.' }),
  prevent_secrets: t.boolean({ description: 'Whether to refuse files that are likely to contain secrets.' }),
  max_file_size: t.integer({ description: 'In MiB; 0 for any size.' }),
  commit_committer_check: t.boolean({
    description: 'Whether users may only push commits with their own e-mail address as committer.',
  }),
  commit_committer_name_check: t.boolean({ description: 'Whether the name of the author must be that of the pusher.' }),
  reject_unsigned_commits: t.boolean({ description: 'Whether commits pushed through git must be signed.' }),
  reject_non_dco_commits: t.boolean({ description: 'Whether commit messages must be signed off.' }),
}

export type PushRuleValues = ParamValues<typeof pushRuleParams>

export const pushRuleNames = Object.keys(pushRuleParams) as (keyof PushRuleValues)[]
export const patternNames = Object.keys(patterns) as (keyof typeof patterns)[]
