/** What the server takes as a filter by labels: name:value, with commas between several. */
export const labels = /^[a-z0-9._/-]{1,63}:[^,\p{Cc}]{0,100}(,[a-z0-9._/-]{1,63}:[^,\p{Cc}]{0,100}){0,31}$/u;
