/** What the payloads of events (contract 21 R7) have in common, as far as messages and filters read it. */
export type EventPayload = {
  object_kind?: string
  ref?: string
  tag?: boolean
  before?: string
  after?: string
  total_commits_count?: number
  commits?: readonly Commit[]
  user?: { id: number; name: string; username: string; avatar_url: string | null } | null
  user_name?: string | null
  user_avatar?: string | null
  project?: {
    name: string
    web_url: string
    path_with_namespace: string
    default_branch: string | null
    namespace: string
  }
  object_attributes?: {
    id?: number
    iid?: number
    title?: string
    url?: string
    action?: string
    state?: string
    type?: string
    description?: string | null
    note?: string
    noteable_type?: string
    ref?: string
    tag?: boolean
    status?: string
    source_branch?: string
    merge_status?: string
    severity?: string
    labels?: readonly { title: string }[]
    content?: string
  }
  issue?: NotedObject
  merge_request?: NotedObject
  snippet?: NotedObject
  commit?: { id: string; url?: string; title?: string } | null
  labels?: readonly { title: string }[]
  build_id?: number
  build_name?: string
  build_stage?: string
  build_status?: string
  status?: string
  environment?: string | null
  short_sha?: string
  commit_url?: string
  deployable_url?: string | null
}

type Commit = {
  id: string
  title: string
  author: { name: string }
  added?: readonly string[]
  modified?: readonly string[]
  removed?: readonly string[]
}

type NotedObject = { iid?: number; id: number; title: string; url?: string; labels?: readonly { title: string }[] }
