import { type ParamValues, t } from '../../api/index.ts'

const pattern = (description: string) => t.nullable(t.string({ description: `RE2. ${description}` }))

/** Everything that a push rule can ask (contract 22, PushRule). */
export const pushRuleParams = {
  commit_message_regex: pattern('What every commit message must contain; `^` and `$` match at lines.'),
  commit_message_negative_regex: pattern('What no commit message may contain.'),
  branch_name_regex: pattern('What the names of branches must contain, but for the default branch.'),
  author_email_regex: pattern('What the e-mail addresses of authors and committers must contain.'),
  file_name_regex: pattern('What the path of no new file may contain.'),
  deny_delete_tag: t.boolean({ description: 'Whether tags cannot be deleted by git.' }),
  member_check: t.boolean({ description: 'Whether authors and committers must be users.' }),
  prevent_secrets: t.boolean({ description: 'Whether files that are likely to hold secrets are refused.' }),
  max_file_size: t.integer({ description: 'In MiB; 0 for any size.' }),
  commit_committer_check: t.boolean({ description: 'Whether one may only push what one has committed.' }),
  commit_committer_name_check: t.boolean({ description: 'Whether authors must be called as who pushes.' }),
  reject_unsigned_commits: t.boolean({ description: 'Whether commits that come by git must be signed.' }),
  reject_non_dco_commits: t.boolean({ description: 'Whether commit messages must be signed off.' }),
}

export type PushRuleValues = ParamValues<typeof pushRuleParams>

export const pushRuleNames = Object.keys(pushRuleParams) as (keyof PushRuleValues)[]
