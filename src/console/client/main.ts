import { copyButtons } from './copy.ts'
import { fileFinder } from './finder.ts'
import { lineNumbers, linkKeys } from './lines.ts'
import { palette } from './palette.ts'
import { relativeTimes } from './times.ts'

document.documentElement.classList.add('script')
relativeTimes()
copyButtons()
palette()
lineNumbers()
linkKeys()
fileFinder()
