import type { Generated } from 'kysely'

/** What a submission is about, as the tables name it. */
export type SubmissionType = 'Snippet' | 'Issue'

type UserAgentDetailsTable = {
  id: Generated<number>
  subject_type: SubmissionType
  subject_id: number
  /** The project of the subject, with which the row is deleted. */
  project_id: number | null
  user_agent: string
  ip_address: string
  akismet_submitted: Generated<boolean>
  created_at: string
}

type SpamLogsTable = {
  id: Generated<number>
  user_id: number
  kind: string
  /** Whether the CAPTCHA was solved; an entry is used once. */
  verified: Generated<boolean>
  /** Whether a solved CAPTCHA lets the submission pass. */
  solvable: boolean
  title: string
  user_agent: string
  ip_address: string
  created_at: string
}

declare module '../../infra/database/tables.ts' {
  interface Tables {
    user_agent_details: UserAgentDetailsTable
    spam_logs: SpamLogsTable
  }
}
