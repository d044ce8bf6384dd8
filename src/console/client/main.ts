import { boards } from './boards/boards.ts'
import { copyButtons } from './copy.ts'
import { fileFinder } from './finder.ts'
import { keys } from './keys.ts'
import { lineNumbers, linkKeys } from './lines.ts'
import { liveParts } from './live.ts'
import { followLog } from './log.ts'
import { menus } from './menus.ts'
import { names } from './names.ts'
import { references } from './references.ts'
import { reviews } from './review.ts'
import { growingRows } from './rows.ts'
import { relativeTimes } from './times.ts'
import { writing } from './writing.ts'

document.documentElement.classList.add('script')
relativeTimes()
copyButtons()
keys()
menus()
lineNumbers()
linkKeys()
fileFinder()
names()
writing()
references()
liveParts()
followLog()
growingRows()
reviews()
boards()
