/** The throttle of single files of repositories, by path below `/repository/files` (contract 00, "Rate limits"). */
export const filesThrottle = { name: 'files_api' } as const
