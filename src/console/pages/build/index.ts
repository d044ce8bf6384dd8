import type { Page } from '../../page.ts'
import { artifacts } from './jobs/artifacts.tsx'
import { job } from './jobs/job.tsx'
import { jobs } from './jobs/list.tsx'
import { lint } from './lint.tsx'
import { rawLog } from './log/raw.ts'
import { badge } from './pipelines/badge.tsx'
import { pipelines } from './pipelines/list.tsx'
import { newPipeline } from './pipelines/new.tsx'
import { pipeline } from './pipelines/pipeline.tsx'
import { newRunners } from './runners.tsx'

/** The pages about pipelines, jobs and runners, in the order of the navigation. */
export const buildPages: readonly Page[] = [
  ...[pipelines, newPipeline, pipeline, badge],
  ...[jobs, job, rawLog, ...artifacts],
  lint,
  ...newRunners,
]
