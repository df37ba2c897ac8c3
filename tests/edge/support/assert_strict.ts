/** Node's assertions as a package, for where there is no Node. */

import assert from "assert";

export default assert.strict;
