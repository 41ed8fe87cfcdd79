"""The isolation levels: how a step is started so that it does little harm, or none."""
