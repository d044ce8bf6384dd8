/**
 * Who sent a submission (contract 09, UserAgentDetail; contract 16), and details of submissions that were recognized as spam
 * (contract 00, "Spam and CAPTCHA"). `subject_type` and `subject_id` refer to a snippet or an issue.
 */
import { type TablesOf, t, table } from '../../infra/database/index.ts'

/** What a submission is about, as the tables name it. */
export type SubmissionType = 'Snippet' | 'Issue'

export const userAgentDetails = table(
  'user_agent_details',
  {
    id: t.id(),
    subject_type: t.text<SubmissionType>(),
    subject_id: t.bigint(),
    /** The project of the subject, with which the row is deleted. */
    project_id: t.refers('projects', 'cascade').nullable(),
    user_agent: t.text(),
    ip_address: t.text(),
    akismet_submitted: t.boolean().default(false),
    created_at: t.time(),
  },
  {
    unique: ['subject_type', 'subject_id'],
    indexes: { project: ['project_id'] },
  },
)

export const spamLogs = table(
  'spam_logs',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade').nullable(),
    kind: t.text(),
    /** Whether the CAPTCHA was solved; an entry is used once. */
    verified: t.boolean().default(false),
    created_at: t.time(),
    title: t.text().default(''),
    user_agent: t.text().default(''),
    ip_address: t.text().default(''),
    /** Whether a solved CAPTCHA lets the submission pass. */
    solvable: t.boolean().default(true),
  },
  {
    indexes: { user: ['user_id'], created: ['created_at'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof userAgentDetails | typeof spamLogs> {}
}
