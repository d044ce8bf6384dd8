import { t } from '../../../api/index.ts'
import { processModes } from '../tables.ts'

export const resourceGroupChange = { process_mode: t.oneOf(processModes) }
