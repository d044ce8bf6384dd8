import type { Reader } from '../../../infra/database/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ConfigVariable, requestSource } from '../../ci-config/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

/** What a pipeline runs for. */
export type RanFor = { ref: string; tag: boolean; source?: string }

/** The branches of a merge request. */
export type RequestBranches = { source: string; target: string }

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The branches of the merge request with this number; null when there is none. */
    'pipelines.request_branches'(db: Reader, projectId: number, iid: number): Promise<RequestBranches | null>
    /**
     * The variables of a pipeline about merge requests: the one for which it runs, and the open ones of its branch (contract 24,
     * Merge request pipelines).
     */
    'pipelines.request_variables'(project: ProjectRow, about: Required<RanFor>): Promise<ConfigVariable[]>
  }
}

/** The merge request for which a pipeline is to be created. */
export type PipelineRequest = {
  branches: RequestBranches
  /** The head; on a merge train the commit of the merge. */
  sha: Oid
  /** With what `changes` compares: the last common commit of both branches, or what a train merges into; null: everything counts as changed. */
  baseSha: string | null
  /** Nothing is created when the head has such a pipeline since this time (ISO text): a job that creates it may run twice. */
  since?: string
}

/** The ref of the pipelines of a merge request. */
export const requestRef = (iid: number) => `refs/merge-requests/${iid}/head`

/** The ref of its pipelines on a merge train (contract 26 R3). */
export const trainRef = (iid: number) => `refs/merge-requests/${iid}/train`

/** The number of the merge request for which a pipeline runs; null for those of branches and tags. */
export function requestIidOf({ source, ref }: Pick<RanFor, 'ref' | 'source'>): number | null {
  if (source !== requestSource) return null
  const [, iid] = /^refs\/merge-requests\/(\d+)\/(?:head|train)$/.exec(ref) ?? []
  return iid === undefined ? null : Number(iid)
}

/** The branch whose rights decide who may run a pipeline; null for that of a merge request that was deleted. */
export async function branchOf(platform: Platform, project: ProjectRow, given: RanFor): Promise<string | null> {
  const iid = requestIidOf(given)
  if (iid === null) return given.ref
  const { database, ports } = platform
  return (await ports['pipelines.request_branches'](platform, database.read, project.id, iid))?.source ?? null
}
